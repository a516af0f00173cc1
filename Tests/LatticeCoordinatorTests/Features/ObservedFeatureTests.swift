import LatticeConcurrency
import LatticeCore
import LatticeTestSupport
import Observation
import Testing

@testable import LatticeCoordinator

/// Tests that only the readers of changed properties are notified, although every state is decoded as a whole.
@Suite(.timeLimit(.minutes(10)))
struct ObservedFeatureTests {
    /// Records the readers that were notified since the last query.
    private final class Listeners: Sendable {
        private let heard = Locked<Set<String>>([])

        var names: [String] { heard.withLock { $0.sorted() } }

        @MainActor func listen(to viewModel: ViewModel<ProfileFeature>) {
            let readers: [String: () -> Void] = [
                "whole": { _ = viewModel.viewState }, "name": { _ = viewModel.name },
                "visits": { _ = viewModel.visits }, "friends": { _ = viewModel.friends.count },
                "greetings": { _ = viewModel.friends.first?.greetings },
            ]
            for (name, read) in readers {
                withObservationTracking(read) {
                    self.heard.withLock { _ = $0.insert(name) }
                }
            }
        }
    }

    private static let table: [(ProfileFeature.Action, hear: [String])] = [
        (.befriend(7), ["friends", "greetings"]),
        (.rename("Ada"), ["name"]),
        (.rename("Ada"), []),
        (.visit, ["visits"]),
        (.greet(7), ["greetings"]),
        (.nothing, []),
        (.befriend(3), ["friends", "greetings"]),
        (.greet(7), []),
    ]

    @Test(
        "Observers of a hosted and of a mirrored view model are notified of single properties",
        arguments: [false, true]
    )
    func singleProperties(isMirrored: Bool) async throws {
        try await CoordinatorBench.with { bench in
            try await hear(of: bench, isMirrored: isMirrored)
        }
    }

    @MainActor private func hear(of bench: CoordinatorBench, isMirrored: Bool) async throws {
        bench.startWorker()
        let host = try await bench.host(ProfileFeature.self, "")
        try await host.whenOpened()
        var viewModel = host.viewModel
        if isMirrored {
            let client = bench.makeClient(identity: 1)
            async let mirror = client.viewModel(ProfileFeature.self)
            try await client.connect()
            viewModel = try await mirror
        }
        for (action, hear) in Self.table {
            let listeners = Listeners()
            listeners.listen(to: viewModel)
            #expect(await viewModel.sendViewEvent(action).finish() == .finished)
            #expect(listeners.names == hear, "\(action)")
        }
        #expect(viewModel.friends.map(\.id) == [3, 7])
        #expect(viewModel.friends.map(\.greetings) == [0, 2])
    }
}
