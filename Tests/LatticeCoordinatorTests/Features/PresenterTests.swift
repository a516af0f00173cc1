import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import Testing

@testable import LatticeCoordinator

@Suite(.timeLimit(.minutes(10)))
struct PresenterTests {
    /// A feature whose reducer records where it runs, and is slow for negative numbers.
    enum SteppingFeature: HostedFeature {
        static let eventLoop = Locked<Reactor?>(nil)
        /// Whether the last reduction was on the event loop.
        static let isOnEventLoop = Locked<Bool?>(nil)

        static let identifier = "stepping"
        static func initialDomainState(in context: HostContext) -> Int { 0 }
        static func interactor(in context: HostContext) -> Interact<Int, Int> {
            Interact { state, action in
                state = action
                return .none
            }
        }
        static func reducer() -> BuildViewState<Int, Int> {
            BuildViewState(initial: { _ in 0 }) { step, shown in
                let isCurrent = eventLoop.withLock { $0?.isCurrent }
                isOnEventLoop.withLock { $0 = isCurrent }
                shown = step
                guard step < 0 else { return }
                let end = MonotonicTime.nanoseconds + PresenterState.slowReduction
                while MonotonicTime.nanoseconds < end {}
            }
        }
    }

    @Test("A client gets states, outcomes, the status and recoveries while the main actor is busy")
    func heldMainActor() async throws {
        try await CoordinatorBench.with { bench in
            bench.startWorker()
            // The program has a view model too, which must not delay the client.
            let viewModel = try await bench.host().viewModel
            let client = bench.makeClient(identity: 1)
            let recorder = TestClient.Recorder()
            let channel = client.open(recorder)
            try await client.connect()
            try await recorder.record.until { $0.opened == 1 }
            let own = try await withHeldMainActor {
                #expect(await channel.send(.add(3)).finish() == .finished)
                #expect(recorder.record.value.states.last?.sum == 3)
                let gate = Gates.makeName()
                let running = channel.send(.wait(1, gate: gate))
                try await Gates.untilArrived(gate)
                try await bench.killWorker()
                #expect(await running.finish() == .interrupted(Interruption(cause: .signal(9), incarnation: 1)))
                bench.startWorker()
                let ended = await channel.send(.add(4)).finish()
                #expect(ended == .finished)
                try await recorder.record.until { if case .serving? = $0.hosts.last { true } else { false } }
                #expect(recorder.record.value.states.last?.last == 4)
                return recorder.record.value.states.last
            }
            try await poll { await viewModel.viewState == own }
        }
    }

    @Test("A client opens an instance, comes back and leaves while the main actor is busy, and the instance is closed")
    func instanceWithoutMainActor() async throws {
        try await CoordinatorBench.with { bench in
            bench.startWorker()
            let key = FeatureRegistry.Key(feature: JournalFeature.identifier, instance: "new")
            try await withHeldMainActor {
                let client = bench.makeClient(identity: 1)
                let recorder = TestClient.Recorder()
                let channel = client.open(recorder, instance: key.instance)
                try await client.connect()
                #expect(await channel.send(.add(3)).finish() == .finished)
                try await client.disconnect()
                try await client.connect()
                #expect(await channel.send(.add(4)).finish() == .finished)
                #expect(recorder.record.value.states.last?.sum == 7)
                let host = try #require(bench.registry.existingHost(key) as? FeatureHost<JournalFeature>)
                #expect(await host.channelCount == 1)
                client.channels.remove(channel.channel)
                try await poll { await host.channelCount == 0 }
                bench.registry.release(key)
                #expect(bench.registry.existingHost(key) == nil)
            }
        }
    }

    @Test("A reducer runs on the event loop, and on another thread after it was slow")
    func slowReducer() async throws {
        try await CoordinatorBench.with(hosting: [SteppingFeature.self]) { bench in
            bench.startWorker()
            let host = try await bench.host(SteppingFeature.self, "")
            SteppingFeature.eventLoop.withLock { $0 = bench.reactor }
            defer { SteppingFeature.eventLoop.withLock { $0 = nil } }
            try await host.whenOpened()
            let viewModel = await host.viewModel
            var step = 0
            func isReducedOnEventLoop(_ step: Int) async -> Bool? {
                #expect(await viewModel.sendViewEvent(step).finish() == .finished)
                #expect(await viewModel.viewState == step)
                return SteppingFeature.isOnEventLoop.withLock(\.self)
            }
            for _ in 1...3 {
                // A quick reduction may take long on a busy machine.
                try await poll {
                    step += 1
                    return await isReducedOnEventLoop(step) == true
                }
                _ = await isReducedOnEventLoop(-step)
                step += 1
                #expect(await isReducedOnEventLoop(step) == false)
            }
        }
    }

    @Test("The program's view model begins with what the presenter has shown, also if that is an end")
    func lateViewModel() async throws {
        try await CoordinatorBench.with { bench in
            bench.startWorker()
            let host = try await bench.host()
            let client = bench.makeClient(identity: 1)
            let recorder = TestClient.Recorder()
            let channel = client.open(recorder)
            try await client.connect()
            #expect(await channel.send(.add(3)).finish() == .finished)
            #expect(await host.viewModel.viewState.sum == 3)
            #expect(try await host.whenShown(within: .seconds(60)))
            let other = try await bench.host("other")
            bench.supervisor.channels.close(
                reason: "it died too often",
                interruption: Interruption(cause: .disconnected, incarnation: 0)
            )
            // The worker may have opened the other instance before.
            try await poll { (try? await other.whenOpened()) == nil }
            await #expect(throws: ChannelEnd.self) { try await other.whenShown(within: .seconds(60)) }
        }
    }
}
