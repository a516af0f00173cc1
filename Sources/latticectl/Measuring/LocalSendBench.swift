import LatticeCore
import Observation

/// Sends without effects, one after the other: what a turn costs, and what it leaves in memory.
@MainActor final class LocalSendBench {
    /// Bytes that caches of the C library may have more than before. A byte for each send would be more.
    private static let residue = 32 * 1024

    private let scale = BenchScale.ofEnvironment
    private let rounds = SendRounds()
    private let viewModel = ViewModel(initialDomainState: .init(), feature: LocalFeature.feature)
    private var heard = 0

    func run(into report: BenchReport) throws {
        try measureCalls(into: report)
        try measure("send, view state updated", key: "local_send", into: report, sendAll)
        try measure("send, an observer told", key: "local_observed_send", into: report, sendObserved)
        try measureMemory(into: report)
    }

    /// The interactor alone, as a runtime calls it.
    private func measureCalls(into report: BenchReport) throws {
        let interactor = LocalFeature.feature.interactor
        var state = LocalFeature.State()
        func call(_ count: Int) throws {
            let before = state.count
            for _ in 0..<count { _ = interactor.interact(state: &state, action: .add) }
            guard state.count == before + count else {
                throw BenchError("the state shows \(state.count) instead of \(before + count)")
            }
        }
        try rounds.time(scale.warmUp, call)
        report.add(times: "interact, called directly", try rounds.time(scale.sends, call), key: "local_interact")
    }

    private func measure(
        _ name: String,
        key: String,
        into report: BenchReport,
        _ send: (Int) throws -> Void
    ) throws {
        try rounds.time(scale.warmUp, send)
        report.add(times: name, try rounds.time(scale.sends, send), key: key)
        guard let allocations = try rounds.allocations(send) else { return }
        report.add(figure: "allocations of a \(name)", allocations, decimals: 3, key: "\(key)_allocations")
    }

    private func sendAll(_ count: Int) throws {
        let before = viewModel.viewState.count
        for sent in 1...count {
            viewModel.sendViewEvent(.add)
            try check(before + sent)
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
            try check(before + sent)
            guard heard == heardBefore + sent else {
                throw BenchError("the observer heard \(heard - heardBefore) of \(sent) changes")
            }
        }
    }

    private func check(_ expected: Int) throws(BenchError) {
        guard viewModel.viewState.count == expected else {
            throw BenchError("the view state shows \(viewModel.viewState.count) instead of \(expected)")
        }
    }

    /// Many sends leave memory where it was.
    private func measureMemory(into report: BenchReport) throws {
        let before = Allocations.bytesInUse
        try rounds.time(scale.sends, sendAll)
        guard let before, let after = Allocations.bytesInUse else { return }
        let kept = after - before
        guard kept <= Self.residue else {
            throw BenchError("\(scale.sends) sends left \(kept) bytes behind; at most \(Self.residue) are in order")
        }
        report.add(figure: "bytes more after \(scale.sends) sends", Double(kept), decimals: 0, key: "local_send_bytes")
    }
}
