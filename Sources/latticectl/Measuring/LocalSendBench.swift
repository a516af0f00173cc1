import LatticeCore
import Observation

/// Sends without effects, one after the other: what a turn costs, and what it leaves in memory.
@MainActor final class LocalSendBench {
    /// Bytes that caches of the C library may have more than before. A byte for each send would be more.
    private static let residue = 32 * 1024

    private let viewModel = ViewModel(initialDomainState: .init(), feature: LocalFeature.feature)
    private let nested = ViewModel(initialDomainState: .init(), feature: NestedFeature.feature)
    private var heard = 0

    func run(into report: BenchReport) throws {
        try measureCalls(into: report)
        try SendRounds.measure("send, view state updated", key: "local_send", into: report, sendAll)
        try SendRounds.measure("send, an observer told", key: "local_observed_send", into: report, sendObserved)
        try measureMemory(into: report)
        try SendRounds.measure("send, three when deep", key: "local_nested_send", into: report, sendNested)
    }

    /// The interactor alone, as a runtime calls it.
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

    /// An observer hears once, so each send has one of its own, as a view that is drawn again has.
    private func sendObserved(_ count: Int) throws {
        let (before, heardBefore) = (viewModel.viewState.count, heard)
        for sent in 1...count {
            withObservationTracking {
                _ = viewModel.viewState
            } onChange: {
                MainActor.assumeIsolated { self.heard += 1 }
            }
            viewModel.sendViewEvent(.add)
            try BenchError.check(viewModel.viewState.count, is: before + sent)
            guard heard == heardBefore + sent else {
                throw BenchError("the observer heard \(heard - heardBefore) of \(sent) changes")
            }
        }
    }

    /// To a child of a child of a child.
    private func sendNested(_ count: Int) throws {
        let before = nested.viewState.count
        for sent in 1...count {
            nested.sendViewEvent(.stem(.branch(.leaf(.add))))
            try BenchError.check(nested.viewState.count, is: before + sent)
        }
    }

    /// Many sends leave memory where it was.
    private func measureMemory(into report: BenchReport) throws {
        let (before, sends) = (Allocations.bytesInUse, BenchScale.sends)
        try SendRounds.time(sends, sendAll)
        guard let before, let after = Allocations.bytesInUse else { return }
        let kept = after - before
        guard kept <= Self.residue else {
            throw BenchError("\(sends) sends left \(kept) bytes behind; at most \(Self.residue) are in order")
        }
        report.add(figure: "bytes more after \(sends) sends", Double(kept), decimals: 0, key: "local_send_bytes")
    }
}
