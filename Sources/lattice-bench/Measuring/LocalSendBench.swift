import LatticeCore
import Observation

/// Measures sends without effects, one after the other, and the memory that they use.
@MainActor final class LocalSendBench {
    /// The number of bytes by which caches of the C library may grow. A leak of one byte per send would be more.
    private static let residue = 32 * 1024

    private let viewModel = ViewModel(initialDomainState: .init(), feature: LocalFeature.feature)
    private let nested = ViewModel(initialDomainState: .init(), feature: NestedFeature.feature)
    private var notified = 0

    func run(into report: BenchReport) throws {
        try measureCalls(into: report)
        try SendRounds.measure("send, view state updated", key: "local_send", into: report, sendAll)
        try SendRounds.measure("send, an observer notified", key: "local_observed_send", into: report, sendObserved)
        try measureMemory(into: report)
        try SendRounds.measure("send, three when deep", key: "local_nested_send", into: report, sendNested)
    }

    /// Measures the interactor alone, called as a runtime calls it.
    private func measureCalls(into report: BenchReport) throws {
        let interactor = LocalFeature.feature.interactor
        var state = LocalFeature.State()
        func call(_ count: Int) throws {
            let before = state.count
            for _ in 0..<count { _ = interactor.interact(state: &state, action: .add) }
            try BenchError.check(state.count, is: before + count, in: "the state")
        }
        try SendRounds.time(BenchScale.warmUp, call)
        let latencies = try SendRounds.time(BenchScale.sends, call)
        report.add(times: "interact, called directly", latencies, key: "local_interact")
    }

    private func sendAll(_ count: Int) throws {
        let before = viewModel.viewState.count
        for sent in 1...count {
            viewModel.sendViewEvent(.add)
            try BenchError.check(viewModel.viewState.count, is: before + sent)
        }
    }

    /// Sends actions with one observer each. An observer is notified once and registers again, as a view does when it
    /// is redrawn.
    private func sendObserved(_ count: Int) throws {
        let (before, notifiedBefore) = (viewModel.viewState.count, notified)
        for sent in 1...count {
            withObservationTracking {
                _ = viewModel.viewState
            } onChange: {
                MainActor.assumeIsolated { self.notified += 1 }
            }
            viewModel.sendViewEvent(.add)
            try BenchError.check(viewModel.viewState.count, is: before + sent)
            guard notified == notifiedBefore + sent else {
                throw BenchError("the observer was notified of \(notified - notifiedBefore) of \(sent) changes")
            }
        }
    }

    /// Sends actions to a child of a child of a child.
    private func sendNested(_ count: Int) throws {
        let before = nested.viewState.count
        for sent in 1...count {
            nested.sendViewEvent(.stem(.branch(.leaf(.add))))
            try BenchError.check(nested.viewState.count, is: before + sent)
        }
    }

    /// Checks that many sends do not use more and more memory.
    private func measureMemory(into report: BenchReport) throws {
        let (before, sends) = (Allocations.bytesInUse, BenchScale.sends)
        try SendRounds.time(sends, sendAll)
        guard let before, let after = Allocations.bytesInUse else { return }
        let kept = after - before
        guard kept <= Self.residue else {
            throw BenchError("memory grew by \(kept) bytes in \(sends) sends, but at most \(Self.residue) are expected")
        }
        report.add(figure: "bytes of growth after \(sends) sends", Double(kept), decimals: 0, key: "local_send_bytes")
    }
}
