import LatticeActors
import LatticeCalls
import LatticeTestSupport
import LatticeWire
import Testing

/// Tests which methods of calls are reported as methods that the process has.
@Suite(.timeLimit(.minutes(10))) struct CallReportTests {
    /// The names of methods of an actor without and of one with a table of stable names, and whether they exist.
    static let methods: [(name: String, isStable: Bool, isResolved: Bool)] = [
        ("$s18LatticeActorsTests4DeskC7nothingyyYaKFTE", false, true),
        // A name that is well formed, and of no method.
        ("$s18LatticeActorsTests4DeskC7missingyyYaKFTE", false, false),
        ("$sAAAA", false, false), ("x", false, false), ("count()", false, false),
        ("count()", true, true), ("dismiss(at:)", true, false), ("", true, false),
    ]

    @Test("Only a method that the process has is reported as one", arguments: methods)
    func resolved(_ name: String, _ isStable: Bool, _ isResolved: Bool) async throws {
        let reports = Watched<[CallReport]>([])
        try await ActorNet.with { net in
            net.net.leaves[0].node.onCall { report in reports.change { $0.append(report) } }
            let (desk, clerk) = (Desk(actorSystem: net.systems[1]), Served.Clerk(actorSystem: net.systems[1]))
            let actor = isStable ? clerk.id.number : desk.id.number
            _ = await net.net.hub.ask(OutgoingCall(to: actor, of: net.net.leaves[0].node.id, method: name))
            withExtendedLifetime((desk, clerk)) {}
        }
        // An empty name does not arrive.
        try #require(reports.value.count == 2 || name.isEmpty)
        #expect(reports.value.first?.isResolved != true)
        #expect(reports.value.last?.isResolved ?? false == isResolved)
    }
}
