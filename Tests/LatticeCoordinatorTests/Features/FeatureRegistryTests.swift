import Foundation
import LatticeConcurrency
import LatticeCore
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import Logging
import Testing

@testable import LatticeCoordinator

@Suite(.serialized, .timeLimit(.minutes(10)))
struct FeatureRegistryTests {
    private func withRegistry(
        _ features: [any HostedFeature.Type],
        _ body: (FeatureRegistry) async throws -> Void
    ) async throws {
        try await withReactor { reactor in
            let supervisor = WorkerSupervisor(
                launcher: ScriptedLauncher([], eventLoop: reactor),
                configuration: CoordinatorConfiguration(),
                eventLoop: reactor,
                sender: .random(),
                seed: 1
            )
            let registry = try FeatureRegistry(
                features: features,
                placement: Placement([.init(features: features.map { $0.identifier }, workers: .one(supervisor))])
            )
            try await body(registry)
        }
    }

    @Test func eachInstanceIsMadeOnce() async throws {
        try await withRegistry([JournalFeature.self]) { registry in
            let first = try await registry.host(JournalFeature.self, "")
            #expect(try await registry.host(JournalFeature.self, "") === first)
            #expect(try await registry.host(JournalFeature.self, "1") !== first)
            #expect(registry.existingHost(.init(feature: "journal", instance: "")) === first)
            #expect(registry.existingHost(.init(feature: "journal", instance: "2")) == nil)
        }
    }

    /// A feature whose initial state can be held up.
    enum HeldFeature: HostedFeature {
        static let calls = Watched(0)
        static let isHeld = Locked(true)

        static let identifier = "held"
        static func initialDomainState(in context: HostContext) -> Int {
            calls.change { $0 += 1 }
            while isHeld.withLock({ $0 }) { sched_yield() }
            return 0
        }
        static func interactor(in context: HostContext) -> Interact<Int, Int> { Interact { _, _ in .none } }
        static func reducer() -> BuildViewState<Int, Int> { BuildViewState(initial: { $0 }) { $1 = $0 } }
    }

    @Test(
        "Callers that ask for an instance at the same time share its host, also if it is closed while it is created",
        arguments: [false, true]
    )
    func createdTogether(isClosed: Bool) async throws {
        try await withRegistry([HeldFeature.self]) { registry in
            let key = FeatureRegistry.Key(feature: "held", instance: "")
            let before = HeldFeature.calls.value
            HeldFeature.isHeld.withLock { $0 = true }
            let first = Task { try await registry.host("held", "") }
            try await HeldFeature.calls.until { $0 == before + 1 }
            let second = Task { try await registry.host(HeldFeature.self, "") }
            #expect(registry.existingHost(key) == nil)
            // A condition is about a host that exists, so the one that is being created stays wanted.
            #expect(!(isClosed ? registry.release(key) : registry.release(key) { _ in true }))
            HeldFeature.isHeld.withLock { $0 = false }
            let hosts = (try await first.value, try await second.value)
            #expect(hosts.0 === hosts.1)
            #expect(registry.existingHost(key) === hosts.0)
            #expect(HeldFeature.calls.value == before + (isClosed ? 2 : 1))
            #expect(registry.release(key))
            #expect(registry.existingHost(key) == nil)
            let next = try await registry.host(HeldFeature.self, "")
            #expect(next !== hosts.1)
        }
    }

    @Test func whatIsNotHostedIsNamed() async throws {
        try await withRegistry([JournalFeature.self, OtherFeature.self]) { registry in
            #expect(registry.identifiers == ["journal", "other"])
            let key = try registry.key(of: open("other", schema: 3))
            #expect(key == FeatureRegistry.Key(feature: "other", instance: "i"))
            for (feature, schema, code) in [("other", 2, .schema), ("nothing", 3, .unknownFeature)]
                as [(String, UInt32, OpenRefusalCode)]
            {
                let refusal = #expect(throws: OpenRefused.self) {
                    _ = try registry.key(of: open(feature, schema: schema))
                }
                #expect(refusal?.code == code)
            }
            let error = await #expect(throws: CoordinatorError.self) { _ = try await registry.host("nothing", "") }
            #expect(error == .notHosted("nothing", hosted: ["journal", "other"]))
        }
    }

    private func open(_ feature: String, schema: UInt32) -> Open {
        Open(feature: feature, schema: schema, instance: "i", state: nil, revision: 0, resumeAfter: 0)
    }

    @Test func twoFeaturesOfOneNameAreRefused() async {
        let error = await #expect(throws: CoordinatorError.self) {
            try await withRegistry([JournalFeature.self, JournalFeature.self]) { _ in }
        }
        #expect(error == .duplicate("journal"))
    }

    @Test func aNameThatDoesNotTravelIsRefused() async throws {
        var error = await #expect(throws: CoordinatorError.self) {
            try await withRegistry([NamelessFeature.self]) { _ in }
        }
        #expect(error?.code == .invalid)
        #expect(error?.message == "The feature identifier \"\" has 0 bytes. Give it 1 to 255.")
        error = await #expect(throws: CoordinatorError.self) {
            try await withRegistry([NegativeFeature.self]) { _ in }
        }
        #expect(error?.message == "The schema of \"negative\" is -1. Choose a value from 0 to 4294967295.")
        try await withRegistry([JournalFeature.self]) { registry in
            let error = await #expect(throws: CoordinatorError.self) {
                _ = try await registry.host("journal", String(repeating: "x", count: 256))
            }
            #expect(error?.message == "The instance key has 256 bytes, and the maximum is 255. Choose a shorter one.")
        }
    }

    @Test("Features that do not fit into a handshake are refused before a connection is made")
    func theFeaturesFitIntoAHandshake() async throws {
        try await withRegistry(ManyFeatures.list(60, from: ManyFeatures.Long.self)) { registry in
            #expect(registry.identifiers.count == 60)
        }
        var error = await #expect(throws: CoordinatorError.self) {
            try await withRegistry(ManyFeatures.list(61, from: ManyFeatures.Long.self)) { _ in }
        }
        #expect(error?.code == .invalid)
        #expect(
            error?.message
                == "The 61 hosted features need 16045 bytes of a handshake, which has room for 16000. Host fewer features, or"
                + " give them shorter identifiers."
        )
        error = await #expect(throws: CoordinatorError.self) {
            try await withRegistry(ManyFeatures.list(1025, from: ManyFeatures.Short.self)) { _ in }
        }
        #expect(
            error?.message == "1025 features are hosted, but a handshake can name at most 1024. Host fewer features."
        )
    }

    @Test func theNumberOfInstancesIsBounded() async throws {
        try await withRegistry([OtherFeature.self]) { registry in
            for number in 0..<CoordinatorConfiguration.maximumInstancesRange.upperBound {
                _ = try await registry.host("other", "\(number)")
            }
            let error = await #expect(throws: CoordinatorError.self) {
                _ = try await registry.host("other", "one more")
            }
            #expect(error == .tooMany(4096))
        }
    }
}

private enum NamelessFeature: HostedFeature {
    static let identifier = ""
    static let schema = 1
    static func initialDomainState(in context: HostContext) -> JournalFeature.DomainState {
        JournalFeature.initialDomainState(in: context)
    }
    static func interactor(in context: HostContext) -> Interact<JournalFeature.DomainState, JournalFeature.Action> {
        JournalFeature.interactor(in: context)
    }
    static func reducer() -> BuildViewState<JournalFeature.DomainState, JournalFeature.ViewState> {
        JournalFeature.reducer()
    }
}

private enum NegativeFeature: HostedFeature {
    static let identifier = "negative"
    static let schema = -1
    static func initialDomainState(in context: HostContext) -> JournalFeature.DomainState {
        JournalFeature.initialDomainState(in: context)
    }
    static func interactor(in context: HostContext) -> Interact<JournalFeature.DomainState, JournalFeature.Action> {
        JournalFeature.interactor(in: context)
    }
    static func reducer() -> BuildViewState<JournalFeature.DomainState, JournalFeature.ViewState> {
        JournalFeature.reducer()
    }
}
