import LatticeConcurrency
import LatticeCore
import LatticeTestSupport
import Testing

/// Tests the sink of runtime events.
struct RuntimeEventsTests {
    private static let group = "thumbnails"

    @Test("An event that no observer is interested in is never created")
    func interest() {
        let (created, received) = (Watched(0), Watched<[String]>([]))
        func event() -> RuntimeEvent {
            created.change { $0 += 1 }
            return .groupProbed(group: Self.group)
        }
        for events in [
            RuntimeEvents.none,
            RuntimeEvents([
                RuntimeObserver(of: [.groupFailed, .workerStarted]) { _ in received.change { $0 += ["?"] } }
            ]),
        ] {
            #expect(!events.wants(.groupProbed))
            events.emit(.groupProbed, event())
        }
        #expect(created.value == 0 && received.value.isEmpty)
    }

    @Test("Each observer receives the kinds of its interest, in the order of the observers")
    func order() {
        let received = Watched<[String]>([])
        func observer(_ name: String, _ kinds: RuntimeEvent.Kinds) -> RuntimeObserver {
            RuntimeObserver(of: kinds) { event in received.change { $0.append("\(name) \(event.kind)") } }
        }
        let events = RuntimeEvents([
            observer("a", [.groupProbed]), observer("b", .groups), observer("c", [.callsHeld]), observer("d", .all),
        ])
        events.emit(.groupProbed, .groupProbed(group: Self.group))
        events.emit(.callsHeld, .callsHeld(reason: ""))
        events.emit(.groupDone, .groupDone(group: Self.group, reason: ""))
        #expect(
            received.value == [
                "a groupProbed", "b groupProbed", "d groupProbed", "c callsHeld", "d callsHeld", "b groupDone",
                "d groupDone",
            ]
        )
    }

    @Test("The log uses no output below its level, and other observers use all output of workers")
    func output() {
        let level = Watched(RuntimeEvent.Level.warning)
        let log = RuntimeObserver(outputFrom: { level.value }, logging: { _ in })
        let events = RuntimeEvents([log, RuntimeObserver(of: .workers) { _ in }])
        #expect(!events.takesOutput(at: .notice) && events.takesOutput(at: .warning) && events.takesOutput(at: .error))
        level.change { $0 = .debug }
        #expect(events.takesOutput(at: .notice) && !events.takesOutput(at: .trace))
        #expect(RuntimeEvents([log, RuntimeObserver(of: .output) { _ in }]).takesOutput(at: .trace))
        #expect(!RuntimeEvents.none.takesOutput(at: .critical))
    }

    @Test("A set of kinds contains what it was made of")
    func kinds() {
        let kinds = RuntimeEvent.Kinds.groups.union([.clientJoined]).subtracting([.groupDone])
        let contained = RuntimeEvent.Kind.allCases.filter(kinds.contains)
        #expect(contained == [.groupRestarted, .groupFailed, .groupProbed, .clientJoined])
        #expect(RuntimeEvent.Kind.allCases.allSatisfy(RuntimeEvent.Kinds.all.contains))
        #expect(RuntimeEvent.Kinds(RuntimeEvent.Kind.allCases).subtracting(.all) == [])
        // The set of all kinds is made of the named sets.
        let sets: [RuntimeEvent.Kinds] = [
            .workers, .output, .groups, .instances, .connections, .calls, .events, .states, [.eventOrdered],
        ]
        for kind in RuntimeEvent.Kind.allCases { #expect(sets.count { $0.contains(kind) } == 1, "\(kind)") }
        #expect(RuntimeEvent.Kind.allCases.count <= UInt64.bitWidth)
    }
}
