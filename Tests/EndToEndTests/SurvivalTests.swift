import Foundation
import LatticeClient
import LatticeCoordinator
import LatticeCore
import LatticeTestSupport
import Testing

/// Tests that no acknowledged event is lost when a worker dies.
@MainActor @Suite(.timeLimit(.minutes(10))) struct SurvivalTests {
    @Test("A killed worker is replaced, with its state and the events in flight (F1)")
    func stateAndEventsSurviveTheWorker() async throws {
        let configuration = configuration(workers: Programs.path("counter"))
        try await withCoordinator(hosting: Counter.self, configuration: configuration) { coordinator in
            let viewModel = try await coordinator.viewModel(Counter.self)
            var sum = 0
            // Fewer than the restart budget.
            for number in 1...4 {
                #expect(await viewModel.sendViewEvent(.add(number)).finish() == .finished)
                sum += number
                let process = try servingProcess(viewModel)
                kill(process, SIGKILL)
                #expect(await viewModel.sendViewEvent(.add(100)).finish() == .finished)
                sum += 100
                #expect(viewModel.viewState == "sum \(sum)")
                #expect(try servingProcess(viewModel) != process)
            }
        }
    }

    @Test("Worker-local state lives as long as its worker, and the next worker builds it again (F1)")
    func whatStaysInTheWorkerIsBuiltAgain() async throws {
        var configuration = configuration(workers: Programs.path("subject"))
        configuration.configure(WordsFeature.self) { _ in WordsFeature.Configuration(separator: ",") }
        try await withCoordinator(hosting: WordsFeature.self, configuration: configuration) { coordinator in
            let viewModel = try await coordinator.viewModel(WordsFeature.self, instance: "i: ")
            #expect(viewModel.viewState.begun == 1)
            #expect(await WordsFeature.ask(viewModel) == WordsFeature.answers)
            let state = coordinator.acknowledgedState(of: WordsFeature.self, instance: "i: ")
            #expect(state?.texts == ["a,b c,a"])
            #expect(state?.incarnation == 1)
            kill(try servingProcess(viewModel), SIGKILL)
            #expect(await WordsFeature.askAgain(viewModel) == WordsFeature.answersAfterRestart)
        }
    }

    @Test func everyInstanceKnowsItsWorker() async throws {
        let configuration = configuration(workers: Programs.path("counter"))
        try await withCoordinator(hosting: Counter.self, configuration: configuration) { coordinator in
            let first = try await coordinator.viewModel(Counter.self)
            // Long after the worker has begun to serve.
            let second = try await coordinator.viewModel(Counter.self, instance: "second")
            #expect(try servingProcess(second) == servingProcess(first))
            #expect(await second.sendViewEvent(.add(1)).finish() == .finished)
            #expect(second.viewState == "sum 1")
            #expect(first.viewState == "sum 0")
        }
    }

    @Test("An effect that runs when its worker is killed ends interrupted (F2)")
    func runningEffectIsInterrupted() async throws {
        let configuration = configuration(workers: Programs.path("unruly"))
        try await withCoordinator(hosting: UnrulyFeature.self, configuration: configuration) { coordinator in
            let viewModel = try await coordinator.viewModel(UnrulyFeature.self)
            let event = viewModel.sendViewEvent(.wait)
            // Behind the other event, so that is acknowledged as well.
            #expect(await viewModel.sendViewEvent(.add(1)).finish() == .finished)
            kill(try servingProcess(viewModel), SIGKILL)
            #expect(await event.finish() == .interrupted(Interruption(cause: .signal(SIGKILL), incarnation: 1)))
            #expect(viewModel.viewState == 1)
        }
    }

    @Test("Clients receive the outcomes of their events before the coordinator ends (F31)")
    func clientsHearHowTheirEventsEndBeforeTheCoordinatorIsGone() async throws {
        try await withSocketPath { path in
            let (listening, isListening) = AsyncStream<Void>.makeStream()
            let (sent, isSent) = AsyncStream<Void>.makeStream()
            // The end comes while the effect runs.
            async let served: Void = serve(path, isListening, until: sent)
            for await _ in listening {}
            try await withClient(connectingTo: path) { client in
                let viewModel = try await client.viewModel(Counter.self)
                let event = viewModel.sendViewEvent(.addLater(5))
                #expect(await viewModel.sendViewEvent(.add(1)).finish() == .finished)
                isSent.finish()
                let outcome = await event.finish()
                #expect(outcome == .finished)
                #expect(viewModel.viewState == "sum 6")
            }
            try await served
        }
    }

    private func serve(
        _ path: String,
        _ isListening: AsyncStream<Void>.Continuation,
        until end: AsyncStream<Void>
    ) async throws {
        var configuration = configuration(workers: Programs.path("counter"))
        // Enough on a busy machine: for the effect, and for the client to read how it ended.
        configuration.drainTimeout = .seconds(30)
        configuration.teardownTimeout = .seconds(30)
        try await withCoordinator(hosting: Counter.self, listeningAt: path, configuration: configuration) { _ in
            isListening.finish()
            for await _ in end {}
        }
    }

    @Test("Clients share one state and one order of events (F63)") func clientsShareOneState() async throws {
        try await withSocketPath { path in
            let configuration = configuration(workers: Programs.path("counter"))
            try await withCoordinator(hosting: Counter.self, listeningAt: path, configuration: configuration) {
                let owner = try await $0.viewModel(Counter.self)
                try await withClient(connectingTo: path) { first in
                    try await withClient(connectingTo: path) { second in
                        let mirrors = [
                            try await first.viewModel(Counter.self), try await second.viewModel(Counter.self),
                        ]
                        #expect(await mirrors[0].sendViewEvent(.add(3)).finish() == .finished)
                        #expect(mirrors[0].viewState == "sum 3")
                        kill(try servingProcess(owner), SIGKILL)
                        #expect(await mirrors[1].sendViewEvent(.addLater(4)).finish() == .finished)
                        #expect(mirrors[1].viewState == "sum 7")
                        try await poll { owner.viewState == "sum 7" }
                    }
                }
            }
        }
    }
}
