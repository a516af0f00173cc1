import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import LatticeWorker
import Testing

/// Tests worker-local parts of a state that is sent as patches.
@Suite(.timeLimit(.minutes(10)))
struct LocalPartTests {
    private typealias Copies = FeatureClient<CopiesFeature.Action, CopiesFeature.DomainState>

    private func with(
        _ body: (WorkerBench, ChannelRecorder<CopiesFeature.DomainState>, Copies) async throws -> Void
    ) async throws {
        try await WorkerBench.with { bench in
            let recorder = ChannelRecorder<CopiesFeature.DomainState>()
            var limits = ChannelLimits()
            limits.maximumState = 2000
            let copies = Copies(
                try .init(CopiesFeature.self, in: HostContext()),
                in: bench.channels,
                sender: bench.sender,
                limits: limits,
                deliver: { recorder.receive($0) }
            )
            try await bench.start([CopiesFeature.self])
            try await body(bench, recorder, copies)
        }
    }

    @Test("A turn changes worker-local state in place in each incarnation, whatever was sent before")
    func changedInPlace() async throws {
        try await with { bench, recorder, copies in
            for number in 1...20 { #expect(await copies.send(.add(number)).finish() == .finished) }
            #expect(recorder.record.value.states.last?.sum == 210)
            #expect(recorder.record.value.states.last?.copies == 0)
            try await bench.kill()
            try await bench.start([CopiesFeature.self])
            for number in 1...20 { #expect(await copies.send(.add(number)).finish() == .finished) }
            #expect(recorder.record.value.states.last?.sum == 210)
            #expect(recorder.record.value.states.last?.copies == 0)
        }
    }

    @Test("A rollback keeps worker-local state with the failed event's changes, and no longer copies it (F69)")
    func goingBack() async throws {
        try await with { _, recorder, copies in
            #expect(await copies.send(.add(1)).finish() == .finished)
            guard case .failed = await copies.send(.grow(5000)).finish() else {
                Issue.record("not failed")
                return
            }
            for number in [2, 3] { #expect(await copies.send(.add(number)).finish() == .finished) }
            #expect(recorder.record.value.states.last?.sum == 1006)
            #expect(recorder.record.value.states.last?.padding == "")
            #expect(recorder.record.value.states.last?.copies == 0)
        }
    }
}
