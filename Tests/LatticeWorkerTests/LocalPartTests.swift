import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import Testing

@testable import LatticeWorker

/// What stays in the worker, of a state that travels as patches.
@Suite(.timeLimit(.minutes(3)))
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

    @Test("A turn changes it in place, whatever was sent of the state before, in each life")
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

    @Test("F69: going back to an earlier state keeps it, with what a failed event wrote there, and copies it no more")
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
