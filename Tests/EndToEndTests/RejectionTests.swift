import Foundation
import LatticeClient
import LatticeCoordinator
import LatticeCore
import LatticeTestSupport
import Testing

/// Rejections by an interactor in a worker, as the coordinator's program and clients receive them.
@MainActor @Suite(.timeLimit(.minutes(10))) struct RejectionTests {
    private func check(_ outcome: EventOutcome, sum: Int) throws {
        guard case .rejected(let rejection) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(rejection.code == .declined)
        #expect(rejection.reason == "The sum has reached 2.")
        let value = try rejection.value(as: Int.self)
        #expect(value == sum)
    }

    @Test("A rejection reaches its sender with its sentence and value, and only its sender")
    func senders() async throws {
        try await withSocketPath { path in
            let configuration = configuration(workers: Programs.path("unruly"))
            try await withCoordinator(hosting: UnrulyFeature.self, listeningAt: path, configuration: configuration) {
                let own = try await $0.viewModel(UnrulyFeature.self)
                try await withClient(connectingTo: path) { client in
                    let remote = try await client.viewModel(UnrulyFeature.self)
                    #expect(await remote.sendViewEvent(.addBelow(2)).finish() == .finished)
                    #expect(await own.sendViewEvent(.addBelow(2)).finish() == .finished)
                    try check(await remote.sendViewEvent(.addBelow(2)).finish(), sum: 2)
                    try check(await own.sendViewEvent(.addBelow(2)).finish(), sum: 2)
                    // Rejected events are acknowledged, so the next worker gets none of them, and the state is kept.
                    kill(try servingProcess(own), SIGKILL)
                    try check(await remote.sendViewEvent(.addBelow(2)).finish(), sum: 2)
                    #expect(await remote.sendViewEvent(.addBelow(3)).finish() == .finished)
                    #expect(remote.viewState == 3)
                }
            }
        }
    }

    @Test("Of two clients that both want the last place, one gets it and the other one a rejection")
    func conflict() async throws {
        try await withSocketPath { path in
            let configuration = configuration(workers: Programs.path("unruly"))
            try await withCoordinator(hosting: UnrulyFeature.self, listeningAt: path, configuration: configuration) {
                _ in
                try await withClient(connectingTo: path) { one in
                    try await withClient(connectingTo: path) { other in
                        let views = [
                            try await one.viewModel(UnrulyFeature.self), try await other.viewModel(UnrulyFeature.self),
                        ]
                        let tasks = views.map { $0.sendViewEvent(.addBelow(1)) }
                        var outcomes: [EventOutcome] = []
                        for task in tasks { outcomes.append(await task.finish()) }
                        #expect(outcomes.count { $0 == .finished } == 1)
                        #expect(outcomes.count { if case .rejected = $0 { true } else { false } } == 1)
                    }
                }
            }
        }
    }
}
