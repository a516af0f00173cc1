import LatticeCoding
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import LatticeWire
import Testing

@testable import LatticeCoordinator

@Suite(.timeLimit(.minutes(10)))
struct ViewStateLimitsTests {
    @Test("If a view state is too large, clients keep the previous one, the host reports it, and all continue (F69)")
    func clientsKeepTheViewStateBefore() async throws {
        var configuration = CoordinatorConfiguration.patient
        configuration.maximumStateBytes = 1000
        try await CoordinatorBench.with(configuration: configuration) { bench in
            bench.startWorker()
            let client = bench.makeClient(identity: 1)
            let recorder = TestClient.Recorder()
            let channel = client.open(recorder)
            try await client.connect()
            try await recorder.record.until { $0.opened == 1 }
            // The domain state just fits; the view state has more fields.
            var state = JournalFeature.DomainState()
            state.padding = String(repeating: "x", count: 900)
            let room = 1000 - (try CBOREncoder().encode(state).count) + 900
            #expect(await channel.send(.grow(room)).finish() == .finished)
            let reached = try await recorder.record.until { $0.hosts.last.flatMap(\.problem) != nil }
            let view = JournalFeature.ViewState(padding: String(repeating: "x", count: room))
            let bytes = try CBOREncoder().encode(view).count
            #expect(
                reached.hosts.last?.problem
                    == "The view state of \"journal\" has \(bytes) bytes, and the maximum is 1000. Clients keep the one"
                    + " before it."
            )
            #expect(recorder.record.value.states.last?.padding == "")
            guard case .failed(let failure) = await channel.send(.grow(1)).finish() else {
                Issue.record("not failed")
                return
            }
            #expect(failure.type == "StateTooLarge")
            #expect(await channel.send(.nothing).finish() == .finished)
            #expect(client.closed.value.isEmpty)
            #expect(bench.clients.known.count == 1)
        }
    }

    @Test("The host reports that a worker's state cannot be decoded, until one can be decoded again (F71)")
    func theHostSaysThatAStateCannotBeDecoded() async throws {
        try await CoordinatorBench.with { bench in
            bench.startWorker()
            let host = try await bench.host()
            try await host.whenOpened()
            #expect(await host.viewModel.sendViewEvent(.add(1)).finish() == .finished)
            let outcome = await host.viewModel.sendViewEvent(.damage("undecodable")).finish()
            guard case .failed(let failure) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(failure.type == "StateNotDecodable")
            #expect(await host.viewModel.hostStatus.problem == failure.message)
            #expect(await host.viewModel.sendViewEvent(.damage(nil)).finish() == .finished)
            #expect(await host.viewModel.hostStatus.problem == nil)
            #expect(await host.viewModel.viewState.sum == 1)
        }
    }

    @Test("A client that opens many large view states at once gets them all (F70)")
    func manyLargeViewStatesAreOpenedAtOnce() async throws {
        try await CoordinatorBench.with { bench in
            bench.startWorker()
            let instances = (0..<10).map { "\($0)" }
            for instance in instances {
                let host = try await bench.host(instance)
                try await host.whenOpened()
                #expect(await host.viewModel.sendViewEvent(.grow(11 << 20)).finish() == .finished)
            }
            let client = bench.makeClient(identity: 1)
            let recorders = instances.map { _ in TestClient.Recorder() }
            for (recorder, instance) in zip(recorders, instances) { _ = client.open(recorder, instance: instance) }
            try await client.connect()
            for recorder in recorders {
                _ = try await recorder.record.until { $0.states.last?.padding.utf8.count == 11 << 20 }
            }
            #expect(client.closed.value.isEmpty)
        }
    }

    @Test(
        "Size limits that cannot be kept are refused",
        arguments: [
            (0, 1, "maximumActionBytes is 0. Choose a value from 1 to 67043328."),
            (67_043_329, 1, "maximumActionBytes is 67043329. Choose a value from 1 to 67043328."),
            (1, 1 << 32, "maximumStateBytes is 4294967296. Choose a value from 1 to 4294967295."),
        ]
    )
    func sizesThatCannotBeKeptAreRefused(action: Int, state: Int, message: String) {
        var configuration = CoordinatorConfiguration()
        configuration.maximumActionBytes = action
        configuration.maximumStateBytes = state
        let error = #expect(throws: CoordinatorError.self) { try configuration.check() }
        #expect(error?.message == message)
    }
}

extension HostStatus {
    fileprivate var problem: String? {
        if case .serving(let serving) = self { serving.problem } else { nil }
    }
}
