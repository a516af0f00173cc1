#if os(Linux)
import Foundation
import LatticeClient
import LatticeCoordinator
import LatticeCore
import LatticeTestSupport
import LatticeFaults
import Testing

/// Random events, deaths of a worker and faults of connections, against a model: the events in their order.
@MainActor @Suite(.serialized, .timeLimit(.minutes(10))) final class StateModelTests {
    private typealias Archive = ViewModel<ArchiveFeature>

    private static let steps = 250
    /// The number of times that each step was done, for the log of a failing run.
    private var done: [String: Int] = [:]

    /// Two fixed seeds that found defects before, and one random seed. The variable `SEED` replaces them.
    private nonisolated static let seeds: [UInt64] = {
        let given = ProcessInfo.processInfo.environment["SEED"]
        return given.flatMap { UInt64($0) }.map { [$0] } ?? [1, 2, UInt64.random(in: 0...(.max))]
    }()

    /// A view model that sends events and is shown states, with its relay to the coordinator.
    private struct Side {
        let viewModel: Archive
        /// Nil for the coordinator itself.
        let relay: Relay?
        let record: Record

        /// Whether the outcomes of its events come.
        var hears: Bool { relay?.isHeld != true }
    }

    /// The states that were shown.
    @MainActor private final class Record {
        private(set) var states: [ArchiveFeature.ViewState] = []

        func note(_ state: ArchiveFeature.ViewState) {
            if states.last?.numbers != state.numbers { states.append(state) }
        }
    }

    private struct Sent {
        let action: ArchiveFeature.Action
        let task: EventTask
        let side: Int
    }

    @Test(
        "After deaths, stalls and losses, all sides show the worker's state, and never showed another (F1, F21, F63)",
        arguments: seeds
    )
    func model(seed: UInt64) async throws {
        print("StateModelTests: SEED=\(seed)")
        try await withSocketPath { path in
            var configuration = configuration(workers: Programs.path("subject"))
            configuration.restart.maximumDelay = .milliseconds(10)
            // As many deaths as there are.
            configuration.restart.intensity.restarts = Self.steps
            try await withCoordinator(hosting: ArchiveFeature.self, listeningAt: path, configuration: configuration) {
                let owner = Side(viewModel: try await $0.viewModel(ArchiveFeature.self), relay: nil, record: Record())
                try await withRelayedClient(path, 1) { first in
                    try await withRelayedClient(path, 2) { second in
                        try await withRelayedClient(path, 3) { third in
                            try await run(seed, [owner, first, second, third])
                        }
                    }
                }
            }
        }
    }

    @Test(
        "Planned faults between coordinator, workers and clients leave all sides with the worker's state",
        arguments: seeds
    )
    func modelWithFaults(seed: UInt64) async throws {
        // No worker hangs before its hello, because each would take the whole boot timeout.
        let kinds = FaultPlan.Scope.Kind.ofServing + [.exit, .crash]
        let workers = FaultPlan(seed: seed, .init(faults: 150, connections: 40, bytes: 6000, kinds: kinds))
        // The first two connections have no faults, because a client that connects for the first time reports a broken
        // connection.
        let clients = FaultPlan(
            FaultPlan(seed: ~seed, .init(faults: 100, connections: 20, bytes: 6000)).faults.filter { fault in
                if case .connection(let fault) = fault { fault.connection > 1 } else { false }
            }
        )
        print("StateModelTests with faults: SEED=\(seed)")
        try await withSocketPath { path in
            var configuration = configuration(workers: Programs.path("subject"))
            configuration.restart.maximumDelay = .milliseconds(10)
            configuration.restart.intensity.restarts = Self.steps
            configuration.restart.maximumFailedStarts = Self.steps
            let records = [
                configuration.inject(workers, into: .workers), configuration.inject(clients, into: .clients),
            ]
            try await withCoordinator(hosting: ArchiveFeature.self, listeningAt: path, configuration: configuration) {
                let owner = Side(viewModel: try await $0.viewModel(ArchiveFeature.self), relay: nil, record: Record())
                try await withRelayedClient(path, 1) { first in
                    try await withRelayedClient(path, 2) { second in
                        try await run(seed, [owner, first, second])
                    }
                }
            }
            for record in records {
                done["faults", default: 0] += record.struck.count
                // The seed and the timing determine how many kinds of faults happen.
                #expect(!record.struck.isEmpty, "nothing went wrong")
            }
            print("StateModelTests with faults: SEED=\(seed): \(done["faults"] ?? 0) faults")
        }
    }

    private func withRelayedClient(_ path: String, _ number: Int, _ body: (Side) async throws -> Void) async throws {
        let relay = try Relay(from: path + "\(number)", to: path)
        defer { relay.close() }
        var configuration = ClientConfiguration()
        configuration.reconnect.initialDelay = .milliseconds(1)
        configuration.reconnect.maximumDelay = .milliseconds(10)
        // A relay is held for as long as the test waits for other events, which depends on the machine.
        configuration.reconnect.timeout = .seconds(600)
        try await withClient(connectingTo: path + "\(number)", configuration: configuration) { client in
            let viewModel = try await client.viewModel(ArchiveFeature.self)
            try await body(Side(viewModel: viewModel, relay: relay, record: Record()))
            relay.hold(false)
        }
    }

    private func run(_ seed: UInt64, _ sides: [Side]) async throws {
        var generator = SeededGenerator(seed: seed)
        var sent: [Sent] = []
        for number in 1...UInt64(Self.steps) {
            let side = Int.random(in: 0..<sides.count, using: &generator)
            // A third of the events has an effect, which sends another one.
            let action = ArchiveFeature.Action(
                number: number,
                next: number % 3 == 0 ? number + UInt64(Self.steps) : nil
            )
            sent.append(Sent(action: action, task: sides[side].viewModel.sendViewEvent(action), side: side))
            await step(Int.random(in: 0..<40, using: &generator), sides, sent, &generator)
            for side in sides { side.record.note(side.viewModel.viewState) }
        }
        for side in sides { side.relay?.hold(false) }
        try await check(seed, sides, sent)
    }

    /// Injects a fault, sends an event, or waits for one.
    private func step(
        _ kind: Int,
        _ sides: [Side],
        _ sent: [Sent],
        _ generator: inout SeededGenerator
    ) async {
        let relay = sides.randomElement(using: &generator)?.relay
        switch kind {
        case 0:
            // No worker is killed while none serves.
            guard let process = try? servingProcess(sides[0].viewModel) else { return }
            kill(process, SIGKILL)
            done["kills", default: 0] += 1
        case 1, 2:
            guard let relay else { return }
            relay.cut()
            done["cuts", default: 0] += 1
        case 3...6:
            guard let relay, !relay.isHeld else { return }
            relay.hold(true)
            done["holds", default: 0] += 1
        case 7...10: relay?.hold(false)
        case 11...18:
            guard let last = sent.last(where: { sides[$0.side].hears }) else { return }
            _ = await last.task.finish()
        default: await Task.yield()
        }
    }

    private func check(_ seed: UInt64, _ sides: [Side], _ sent: [Sent]) async throws {
        var certain: Set<UInt64> = []
        var possible: Set<UInt64> = []
        for event in sent {
            let outcome = await event.task.finish()
            let next = event.action.next
            switch outcome {
            case .finished: certain.formUnion([event.action.number, next].compactMap(\.self))
            case .interrupted:
                // Its effect may have sent the other event before the worker died. Without an effect the word of its
                // end was on its way behind the state.
                certain.insert(event.action.number)
                possible.formUnion([next].compactMap(\.self))
            default: Issue.record("seed \(seed): event \(event.action.number) of \(event.side) ended \(outcome)")
            }
        }
        // Behind all others, so everything has been applied when it has ended.
        let end = ArchiveFeature.Action(number: 0)
        #expect(await sides[0].viewModel.sendViewEvent(end).finish() == .finished)
        let last = sides[0].viewModel.viewState
        #expect(last.numbers.count == Set(last.numbers).count, "seed \(seed): an event was applied twice")
        #expect(certain.subtracting(last.numbers).isEmpty, "seed \(seed): lost \(certain.subtracting(last.numbers))")
        #expect(Set(last.numbers).subtracting(certain).subtracting(possible) == [0], "seed \(seed)")
        for (number, side) in sides.enumerated() {
            for await state in side.viewModel.viewStates where state.numbers.count == last.numbers.count { break }
            side.record.note(side.viewModel.viewState)
            #expect(side.viewModel.viewState == last, "seed \(seed): side \(number) shows something else")
            let fault = ArchiveFeature.fault(in: side.record.states, of: last.numbers)
            #expect(fault == nil, "seed \(seed): side \(number)")
            done["states shown by \(number)"] = side.record.states.count
        }
        print(
            "StateModelTests: SEED=\(seed): \(done.sorted { $0.key < $1.key }.map { "\($1) \($0)" }.joined(separator: ", "))"
        )
    }
}

extension Fault {
    fileprivate var name: Substring {
        switch self {
        case .connection(let fault): "\(fault.kind)".prefix { $0 != "(" }
        case .launch(let fault): "\(fault.kind)".prefix { $0 != "(" }
        }
    }
}
#endif
