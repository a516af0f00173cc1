import LatticeCore
import LatticeTestSupport
import Testing

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Questions to features in this process.
@MainActor @Suite(.timeLimit(.minutes(10))) struct QuestionTests {
    @Test func onlyTheAskerSeesTheAnswerFromThePresentState() async throws {
        var context = HostContext(instance: "i: ", configuration: WordsFeature.Configuration(separator: ","))
        context[WordsFeature.PrefixKey.self] = "found "
        let viewModel = ViewModel(inProcess: WordsFeature.self, in: context)
        let shown = viewModel.viewState
        #expect(try await viewModel.ask("a") == "found i: 0")
        viewModel.sendViewEvent(.add("a,b c,a"))
        #expect(try await viewModel.ask("a") == "found i: 2")
        #expect(try await viewModel.ask("b c") == "found i: 1")
        #expect(viewModel.viewState == shown)
    }

    @Test func theFeaturesErrorIsThrownAsItIs() async throws {
        let viewModel = ViewModel(inProcess: UnrulyFeature.self)
        viewModel.sendViewEvent(.add(3))
        #expect(try await viewModel.ask(.sum) == .number(3))
        await #expect(throws: UnrulyFeature.Failure(sum: 3)) { try await viewModel.ask(.fail) }
    }

    @Test func aDeadlineEndsTheQuestionAndCancelsTheTask() async throws {
        let viewModel = ViewModel(inProcess: UnrulyFeature.self)
        let marker = "/tmp/lattice-question-\(UInt64.random(in: 0 ... .max))"
        let error = await #expect(throws: QuestionError.self) {
            try await viewModel.ask(.wait(marker: marker), deadline: .now + .milliseconds(50))
        }
        #expect(error?.code == .deadlinePassed)
        try await poll { access(marker, F_OK) != 0 }
        #expect(try await viewModel.ask(.deadline) == .number(1))
        await #expect(throws: QuestionError.self) { try await viewModel.ask(.sum, deadline: .now) }
    }

    @Test func aCancelledQuestionEndsAtOnce() async throws {
        let viewModel = ViewModel(inProcess: UnrulyFeature.self)
        let marker = "/tmp/lattice-question-\(UInt64.random(in: 0 ... .max))"
        let asking = Task { try await viewModel.ask(.wait(marker: marker)) }
        try await poll { access(marker, F_OK) == 0 }
        asking.cancel()
        await #expect(throws: CancellationError.self) { try await asking.value }
        try await poll { access(marker, F_OK) != 0 }
    }
}
