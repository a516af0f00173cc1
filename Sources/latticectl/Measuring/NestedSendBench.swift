import LatticeCore

/// Sends to a child of a child of a child.
@MainActor struct NestedSendBench {
    private let scale = BenchScale.ofEnvironment
    private let rounds = SendRounds()
    private let viewModel = ViewModel(initialDomainState: .init(), feature: NestedFeature.feature)

    func run(into report: BenchReport) throws {
        try rounds.time(scale.warmUp, send)
        report.add(times: "send, three when deep", try rounds.time(scale.sends, send), key: "local_nested_send")
        guard let allocations = try rounds.allocations(send) else { return }
        report.add(
            figure: "allocations of a send, three when deep",
            allocations,
            decimals: 3,
            key: "local_nested_send_allocations"
        )
    }

    private func send(_ count: Int) throws {
        let before = viewModel.viewState.count
        for sent in 1...count {
            viewModel.sendViewEvent(.stem(.branch(.leaf(.add))))
            guard viewModel.viewState.count == before + sent else {
                throw BenchError("the view state shows \(viewModel.viewState.count) instead of \(before + sent)")
            }
        }
    }
}
