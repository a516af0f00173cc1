import LatticeCore
import LatticeSession
import LatticeTestSupport
import Testing

@testable import LatticeCoordinator

/// Tests the configuration of features.
@Suite(.timeLimit(.minutes(10)))
struct ConfigurationTests {
    @Test("A worker gets an instance's configuration, and keeps worker-local state until it dies")
    func configured() async throws {
        var configuration = CoordinatorConfiguration.patient
        configuration.configure(WordsFeature.self) { instance in
            WordsFeature.Configuration(separator: instance == "i: " ? "," : " ")
        }
        try await CoordinatorBench.with(configuration: configuration) { bench in
            bench.startWorker()
            let host = try await bench.host(WordsFeature.self, "i: ")
            try await host.whenOpened()
            #expect(await host.viewModel.viewState.begun == 1)
            #expect(await WordsFeature.ask(host.viewModel) == WordsFeature.answers)
            try await bench.killWorker()
            bench.startWorker()
            #expect(await WordsFeature.askAgain(host.viewModel) == WordsFeature.answersAfterRestart)
            let other = try await bench.host(WordsFeature.self, "")
            try await other.whenOpened()
            #expect(await WordsFeature.ask(other.viewModel).first == "1 found 0")
        }
    }

    @Test func aConfigurationThatIsTooLargeIsRefused() async throws {
        var configuration = CoordinatorConfiguration.patient
        configuration.configure(WordsFeature.self) { _ in
            WordsFeature.Configuration(separator: String(repeating: "x", count: 65_536))
        }
        try await CoordinatorBench.with(configuration: configuration) { bench in
            let error = await #expect(throws: CoordinatorError.self) {
                _ = try await bench.host(WordsFeature.self, "")
            }
            #expect(error?.code == .invalid)
            #expect(
                error?.message
                    == "The configuration of \"words\" has 65560 bytes, but at most 65536 bytes can be sent. Put large data"
                    + " into a file."
            )
        }
    }
}
