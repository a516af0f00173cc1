import Foundation
import LatticeClient
import LatticeCoordinator
import LatticeCore
import Testing

/// `Protocols/worker.py` under a coordinator: what the protocol's text says is enough for a worker in any language.
///
/// `LATTICE_PYTHON` in the environment names an interpreter that has cbor2.
@MainActor
@Suite(
    .enabled(if: ProcessInfo.processInfo.environment["LATTICE_PYTHON"] != nil),
    .timeLimit(.minutes(10))
)
struct PythonWorkerTests {
    /// The declaration of the feature that the Python program serves.
    private enum Ledger: HostedFeature {
        enum Action: Codable, Sendable {
            case add(Int)
            case addLater(Int)
            case fail(String)
            case grow(Int)
        }

        /// A part of the state whose changes the program sends.
        struct Page: Patchable, Sendable {
            var names: [String] = []
            var padding = ""
            var sum = 0

            func encodePatch(from old: Page, to patch: inout PatchEncoder) throws {
                try patch.field("names", from: old.names, to: names)
                try patch.field("padding", from: old.padding, to: padding)
                try patch.field("sum", from: old.sum, to: sum)
            }

            mutating func apply(_ patch: inout PatchDecoder) throws {
                try patch.fields { name, patch in
                    switch name {
                    case "names": try patch.apply(to: &names)
                    case "padding": try patch.apply(to: &padding)
                    case "sum": try patch.apply(to: &sum)
                    default: throw patch.unknownField(name)
                    }
                }
            }
        }

        static let identifier = "ledger"
        static func initialDomainState(in context: HostContext) -> Page { Page() }

        /// Never asked for here.
        static func interactor(in context: HostContext) -> Interact<Page, Action> { Interact { _, _ in .none } }
        static func reducer() -> BuildViewState<Page, Page> { BuildViewState(initial: { $0 }) { $1 = $0 } }
    }

    /// A ledger whose names take a millisecond each to decode.
    private enum SlowLedger: HostedFeature {
        typealias Action = Ledger.Action

        struct Name: Codable, Equatable, Sendable {
            var text: String

            init(from decoder: any Decoder) throws {
                usleep(1000)
                text = try decoder.singleValueContainer().decode(String.self)
            }
        }

        struct Page: Codable, Equatable, Sendable {
            var names: [Name] = []
        }

        static let identifier = Ledger.identifier
        static func initialDomainState(in context: HostContext) -> Page { Page() }

        static func interactor(in context: HostContext) -> Interact<Page, Action> { Interact { _, _ in .none } }
        static func reducer() -> BuildViewState<Page, Int> {
            BuildViewState(initial: { _ in 0 }) { $1 = $0.names.count }
        }
    }

    private func withLedger(
        listeningAt path: String? = nil,
        program: String = ownProgram,
        _ body: @MainActor (Coordinator, ViewModel<Ledger>) async throws -> Void
    ) async throws {
        try await withCoordinator(hosting: Ledger.self, listeningAt: path, configuration: try pythonWorkers(program)) {
            coordinator in
            try await body(coordinator, try await coordinator.viewModel(Ledger.self))
        }
    }

    private static var ownProgram: String { "\(Programs.package.path)/Protocols/worker.py" }

    private func pythonWorkers(_ program: String = ownProgram) throws -> CoordinatorConfiguration {
        let python = try #require(ProcessInfo.processInfo.environment["LATTICE_PYTHON"])
        var configuration = configuration(workers: python)
        configuration.workerArguments = [program]
        return configuration
    }

    @Test func itServesEventsStatesAndOutcomes() async throws {
        try await withLedger { _, ledger in
            var names: [String] = []
            @MainActor func send(_ action: Ledger.Action) -> EventTask {
                let task = ledger.sendViewEvent(action)
                names.append(task.id?.description ?? "")
                return task
            }
            #expect(await send(.add(1)).finish() == .finished)
            #expect(await send(.addLater(10)).finish() == .finished)
            #expect(
                await send(.fail("no luck")).finish() == .failed(EffectFailure(type: "Failure", message: "no luck"))
            )
            #expect(ledger.viewState == Ledger.Page(names: names, sum: 11))
            let cancelled = send(.addLater(1000))
            cancelled.cancel()
            #expect(await cancelled.finish() == .cancelled)
            let tasks = (0..<300).map { send(.add($0)) }
            for task in tasks { #expect(await task.finish() == .finished) }
            #expect(ledger.viewState == Ledger.Page(names: names, sum: 11 + 299 * 150))
        }
    }

    @Test func statesOfManyChunksComeThroughBothWays() async throws {
        try await withLedger { _, ledger in
            #expect(await ledger.sendViewEvent(.grow(300_000)).finish() == .finished)
            #expect(ledger.viewState.padding.utf8.count == 300_000)
            kill(try servingProcess(ledger), SIGKILL)
            // The next one has it from the coordinator.
            #expect(await ledger.sendViewEvent(.grow(1)).finish() == .finished)
            #expect(ledger.viewState.padding.utf8.count == 300_001)
            #expect(ledger.viewState.names.count == 2)
        }
    }

    @Test func acknowledgedStatesSurviveIt() async throws {
        try await withLedger { _, ledger in
            #expect(await ledger.sendViewEvent(.add(1)).finish() == .finished)
            let process = try servingProcess(ledger)
            kill(process, SIGKILL)
            #expect(await ledger.sendViewEvent(.addLater(2)).finish() == .finished)
            #expect(ledger.viewState.sum == 3)
            #expect(try servingProcess(ledger) != process)
            // Another channel, another state.
            #expect(ledger.viewState.names.allSatisfy { $0.hasPrefix("ledger/") })
        }
    }

    @Test func itKnowsTheEventsOfClientsAndInstancesByName() async throws {
        try await withSocketPath { path in
            try await withLedger(listeningAt: path) { coordinator, _ in
                try await withClient(connectingTo: path) { client in
                    let mirror = try await client.viewModel(Ledger.self, instance: "a b/c")
                    let own = try await coordinator.viewModel(Ledger.self, instance: "a b/c")
                    var names: [String?] = []
                    for number in 1...3 {
                        let (first, second) = (mirror.sendViewEvent(.add(number)), own.sendViewEvent(.add(number)))
                        #expect(await first.finish() == .finished)
                        #expect(await second.finish() == .finished)
                        names += [first.id?.description, second.id?.description]
                    }
                    #expect(Set(own.viewState.names) == Set(names))
                    #expect(own.viewState.names.allSatisfy { EventID($0)?.instance == "a b/c" })
                    #expect(own.viewState.sum == 12)
                }
            }
        }
    }

    @Test("A worker in another language reports its build too, and is refused after the build has changed (F74)")
    func aChangedProgramIsRefused() async throws {
        try await withSocketPath { path in
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
            for name in ["worker.py", "check.py", "patches.py", "values.py"] {
                let file = Programs.package.appendingPathComponent("Protocols/" + name)
                try FileManager.default.copyItem(at: file, to: folder.appendingPathComponent(name))
            }
            let program = folder.appendingPathComponent("worker.py")
            try await withLedger(program: program.path) { coordinator, ledger in
                #expect(await ledger.sendViewEvent(.add(1)).finish() == .finished)
                let text = try String(contentsOf: program, encoding: .utf8)
                try (text + "# Changed.\n").write(to: program, atomically: true, encoding: .utf8)
                kill(try servingProcess(ledger), SIGKILL)
                #expect(await ledger.sendViewEvent(.add(1)).finish() == .rejected(.closed))
                guard case .failed(let failure) = ledger.hostStatus else {
                    Issue.record("not failed: \(ledger.hostStatus)")
                    return
                }
                let sentence = try Regex(
                    "the worker was refused: the worker is of build (\\w{64}), and this coordinator works with build"
                        + " (\\w{64}); restart the coordinator to use the new build of the worker"
                )
                let found = try #require(failure.reason.wholeMatch(of: sentence))
                #expect(found[1].substring != found[2].substring)
                // The test restores the program that works.
                try text.write(to: program, atomically: true, encoding: .utf8)
                await coordinator.resetWorker()
                #expect(await ledger.sendViewEvent(.add(1)).finish() == .finished)
                #expect(ledger.viewState.sum == 2)
            }
        }
    }

    @Test func theUnaskedPongsOfABusyCoordinatorDoNotDisturbIt() async throws {
        try await withCoordinator(hosting: SlowLedger.self, configuration: try pythonWorkers()) { coordinator in
            let ledger = try await coordinator.viewModel(SlowLedger.self)
            let process = try servingProcess(ledger)
            let tasks = (0..<200).map { ledger.sendViewEvent(.add($0)) }
            for task in tasks { #expect(await task.finish() == .finished) }
            #expect(await ledger.sendViewEvent(.add(1)).finish() == .finished)
            #expect(ledger.viewState == 201)
            #expect(try servingProcess(ledger) == process)
        }
    }

    @Test func itDrainsAndEnds() async throws {
        var process: Int32 = 0
        var outcome: EventTask?
        try await withLedger { _, ledger in
            #expect(await ledger.sendViewEvent(.add(1)).finish() == .finished)
            process = try servingProcess(ledger)
            outcome = ledger.sendViewEvent(.addLater(5))
        }
        #expect(await outcome?.finish() == .finished)
        #expect(kill(process, 0) == -1)
    }
}
