import Foundation
import LatticeClient
import LatticeCoordinator
import LatticeCore
import LatticeTestSupport
import Testing

/// Questions to features in workers, by the coordinator's program and by clients.
@MainActor @Suite(.timeLimit(.minutes(10))) struct QuestionTests {
    /// Runs a test with a worker. The answer is computed in the worker, whichever process asks.
    private func withUnruly(
        _ body: (_ coordinator: ViewModel<UnrulyFeature>, _ client: ViewModel<UnrulyFeature>, _ path: String)
            async throws
            -> Void
    ) async throws {
        try await withSocketPath { path in
            let configuration = configuration(workers: Programs.path("unruly"))
            try await withCoordinator(hosting: UnrulyFeature.self, listeningAt: path, configuration: configuration) {
                let own = try await $0.viewModel(UnrulyFeature.self)
                try await withClient(connectingTo: path) { client in
                    try await body(own, try await client.viewModel(UnrulyFeature.self), path)
                }
            }
        }
    }

    @Test func onlyTheAskerGetsTheAnswer() async throws {
        try await withUnruly { own, client, _ in
            #expect(await client.sendViewEvent(.add(3)).finish() == .finished)
            let answer1 = try await client.ask(.sum)
            #expect(answer1 == .number(3))
            let answer2 = try await own.ask(.sum)
            #expect(answer2 == .number(3))
            await #expect(throws: UnrulyFeature.Failure(sum: 3)) { try await client.ask(.fail) }
            await #expect(throws: UnrulyFeature.Failure(sum: 3)) { try await own.ask(.fail) }
            var trace = TraceContext()
            trace["k"] = "v"
            for asking in [client, own] {
                let keys = try await trace.withCurrent { try await asking.ask(.trace) }
                #expect(keys == .number(1))
            }
            let answer3 = try await client.ask(.deadline)
            #expect(answer3 == .number(1))
            #expect(client.viewState == 3)
        }
    }

    @Test func workerLocalStateAnswers() async throws {
        try await withSocketPath { path in
            var configuration = configuration(workers: Programs.path("subject"))
            configuration.configure(WordsFeature.self) { _ in WordsFeature.Configuration(separator: ",") }
            try await withCoordinator(
                hosting: WordsFeature.self,
                listeningAt: path,
                configuration: configuration
            ) { coordinator in
                try await withClient(connectingTo: path) { client in
                    let viewModel = try await client.viewModel(WordsFeature.self, instance: "i: ")
                    let own = try await coordinator.viewModel(WordsFeature.self, instance: "i: ")
                    await viewModel.sendViewEvent(.add("a,b c,a")).finish()
                    let answer4 = try await viewModel.ask("a")
                    #expect(answer4 == "found i: 2")
                    kill(try servingProcess(own), SIGKILL)
                    // The next worker is asked, which has built it again.
                    let answer5 = try await viewModel.ask("b c")
                    #expect(answer5 == "found i: 1")
                }
            }
        }
    }

    @Test("A question whose worker dies is asked once more, and does not end a third worker")
    func aDeathIsAnswered() async throws {
        try await withUnruly { own, client, path in
            for asking in [own, client] {
                await own.sendViewEvent(.add(1)).finish()
                let marker = "\(path).\(asking === own)"
                let sum = try await own.ask(.sum)
                let answer6 = try await asking.ask(.leaveOnce(marker: marker))
                #expect(answer6 == sum)
                let error = await #expect(throws: QuestionError.self) { try await asking.ask(.leave(code: 3)) }
                #expect(error?.code == .interrupted)
                #expect(error?.message.hasSuffix(" ended: exited with code 3") == true)
            }
            // Each worker has had three incarnations, and serves its fourth.
            _ = try await own.ask(.sum)
            try await poll { if case .serving(let worker) = own.hostStatus { worker.incarnation == 7 } else { false } }
        }
    }

    @Test func abandonedQuestionsAreCancelledInTheWorker() async throws {
        try await withUnruly { _, client, path in
            for marker in ["\(path).1", "\(path).2"] {
                let asking = Task { try await client.ask(.wait(marker: marker), deadline: .now + .seconds(60)) }
                try await poll { access(marker, F_OK) == 0 }
                asking.cancel()
                await #expect(throws: CancellationError.self) { try await asking.value }
                try await poll { access(marker, F_OK) != 0 }
            }
            let late = "\(path).3"
            let error = await #expect(throws: QuestionError.self) {
                try await client.ask(.wait(marker: late), deadline: .now + .milliseconds(300))
            }
            #expect(error?.code == .deadlinePassed)
            try await poll { access(late, F_OK) != 0 }
        }
    }

    @Test func aTooLargeAnswerIsAnError() async throws {
        try await withUnruly { _, client, _ in
            let answer7 = try await client.ask(.large(3_000_000))
            #expect(answer7 == .bytes([UInt8](repeating: 7, count: 3_000_000)))
            let error = await #expect(throws: QuestionError.self) { try await client.ask(.large(70_000_000)) }
            #expect(error?.code == .tooLarge)
        }
    }

    @Test func aFeatureThatAnswersNothingSaysSo() async throws {
        try await withSocketPath { path in
            let configuration = configuration(workers: Programs.path("counter"))
            try await withCoordinator(hosting: Counter.self, listeningAt: path, configuration: configuration) { _ in
                try await withClient(connectingTo: path) { client in
                    let viewModel = try await client.viewModel(AskedCounter.self)
                    let error = await #expect(throws: QuestionError.self) { try await viewModel.ask(1) }
                    #expect(error?.code == .notServed)
                    #expect(error?.message.hasSuffix("answers no questions. Make it an AnsweringFeature.") == true)
                }
            }
        }
    }

    @Test func questionsFailWhenNoWorkerWillBeStarted() async throws {
        try await withSocketPath { path in
            var configuration = configuration(workers: Programs.path("unruly"))
            // However slow the machine is.
            configuration.restart.intensity = RestartIntensity(restarts: 1, period: .seconds(600))
            configuration.restart.stableTime = .seconds(600)
            try await withCoordinator(hosting: UnrulyFeature.self, listeningAt: path, configuration: configuration) {
                let own = try await $0.viewModel(UnrulyFeature.self)
                let error = await #expect(throws: QuestionError.self) { try await own.ask(.leave(code: 3)) }
                #expect(error?.code == .interrupted || error?.code == .notServed)
                let later = await #expect(throws: QuestionError.self) { try await own.ask(.sum) }
                #expect(later?.code == .notServed)
            }
        }
    }
}

/// The declaration of a client that expects the counter to answer questions.
private enum AskedCounter: AnsweringFeature {
    typealias Action = Counter.Action

    static let identifier = Counter.identifier
    static func initialDomainState(in context: HostContext) -> Counter.DomainState {
        Counter.initialDomainState(in: context)
    }
    static func interactor(in context: HostContext) -> Counter.HostedInteractor { Counter.interactor(in: context) }
    static func reducer() -> Counter.HostedReducer { Counter.reducer() }
    static func answer(_ question: Int, from state: Counter.DomainState, in context: HostContext) -> Int { question }
}
