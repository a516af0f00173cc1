import LatticeCore
import LatticeTestSupport
import Testing

@testable import LatticeCoordinator

/// States that travel as patches, from a worker to a coordinator and from there to clients.
@Suite(.timeLimit(.minutes(10)))
struct PatchedStatesTests {
    /// A client with its view model, and the states that it showed.
    @MainActor private final class Mirror {
        let client: TestClient
        let viewModel: ViewModel<ArchiveFeature>
        private(set) var shown: [ArchiveFeature.ViewState] = []

        init(_ bench: CoordinatorBench, _ identity: UInt8) async throws {
            let client = bench.makeClient(identity: identity)
            async let viewModel = client.viewModel(ArchiveFeature.self)
            try await client.connect()
            self.client = client
            self.viewModel = try await viewModel
        }

        func look() { shown.append(viewModel.viewState) }
    }

    @Test(
        "After random restarts and reconnects, all sides show the worker's state and never showed another",
        arguments: [1, 2, 3, 4] as [UInt64]
    )
    func model(seed: UInt64) async throws {
        try await CoordinatorBench.with { bench in try await model(seed, bench) }
    }

    @MainActor private func model(_ seed: UInt64, _ bench: CoordinatorBench) async throws {
        var generator = SeededGenerator(seed: seed)
        bench.startWorker()
        let host = try await bench.host(ArchiveFeature.self, "")
        try await host.whenOpened()
        var mirrors: [Mirror] = []
        for identity in 1...3 { mirrors.append(try await Mirror(bench, UInt8(identity))) }
        var tasks: [EventTask] = []
        for number in 1...150 as ClosedRange<UInt64> {
            let mirror = mirrors[Int.random(in: 0..<3, using: &generator)]
            let sender = Bool.random(using: &generator) ? host.viewModel : mirror.viewModel
            tasks.append(sender.sendViewEvent(.init(number: number)))
            switch Int.random(in: 0..<24, using: &generator) {
            case 0:
                try await bench.killWorker()
                bench.startWorker()
            case 1:
                try await mirror.client.disconnect()
                try await mirror.client.connect()
            case 2:
                try await mirror.client.disconnect()
                tasks.append(host.viewModel.sendViewEvent(.init(number: number + 1000)))
                _ = await tasks[tasks.count - 1].finish()
                try await mirror.client.connect()
            case 3...8:
                _ = await tasks[tasks.count - 1].finish()
            default:
                await Task.yield()
            }
            for mirror in mirrors { mirror.look() }
        }
        for task in tasks { #expect(await task.finish() == .finished) }
        for mirror in mirrors {
            for await state in mirror.viewModel.viewStates where state.numbers.count == tasks.count { break }
            mirror.look()
            #expect(ArchiveFeature.fault(in: mirror.shown, of: host.viewModel.viewState.numbers) == nil)
            #expect(mirror.viewModel.viewState == host.viewModel.viewState)
        }
        #expect(host.acknowledgedState?.numbers.count == tasks.count)
    }

    @Test("The comparison of states with the model finds states that the model never had") func faults() {
        let order: [UInt64] = [3, 1, 4, 5, 9, 2, 6]
        let states = (0...order.count).map { ArchiveFeature.ViewState(of: Array(order.prefix($0))) }
        #expect(ArchiveFeature.fault(in: states, of: order) == nil)
        #expect(ArchiveFeature.fault(in: [states[1], states[1], states[7]], of: order) == nil)
        #expect(ArchiveFeature.fault(in: [states[2], states[1]], of: order) != nil)
        #expect(ArchiveFeature.fault(in: [ArchiveFeature.ViewState(of: [3, 4])], of: order) != nil)
        var other = states[5]
        other.note = "another one"
        #expect(ArchiveFeature.fault(in: [states[4], other, states[6]], of: order) != nil)
    }

    @Test("A restored state is continued with patches") func restored() async throws {
        try await CoordinatorBench.with { bench in try await restore(bench) }
    }

    @MainActor private func restore(_ bench: CoordinatorBench) async throws {
        bench.startWorker()
        let host = try await bench.host(ArchiveFeature.self, "")
        try await host.whenOpened()
        for number in 1...20 as ClosedRange<UInt64> {
            #expect(await host.viewModel.sendViewEvent(.init(number: number)).finish() == .finished)
        }
        try await bench.killWorker()
        bench.startWorker()
        #expect(await host.viewModel.sendViewEvent(.init(number: 21)).finish() == .finished)
        #expect(host.viewModel.viewState == ArchiveFeature.ViewState(of: Array(1...21)))
    }
}
