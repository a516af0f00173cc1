import LatticeCore
import LatticeTestSupport
import LatticeTesting
import Testing

/// Tests the host context of a feature and its start, in each placement.
@MainActor
@Suite(.timeLimit(.minutes(10)))
struct HostContextTests {
    private static var context: HostContext {
        var context = HostContext(
            instance: "i: ",
            group: "texts",
            incarnation: 3,
            configuration: WordsFeature.Configuration(separator: ",")
        )
        context[WordsFeature.PrefixKey.self] = "found "
        return context
    }

    @Test("Actions from started arrive first, and worker-local state is available", arguments: TestPlacement.allCases)
    func startedIsReceived(placement: TestPlacement) async throws {
        try await withTestViewModel(
            of: WordsFeature.self,
            in: Self.context,
            placement: placement,
            timeout: .seconds(120)
        ) { words in
            await words.receive(.begin(incarnation: 3)) { state in
                state.begun = 1
                state.incarnation = 3
            }
            await words.send(.add("a,b c,a")) { $0.texts = ["a,b c,a"] }
            await words.send(.look("a")) { $0.answer = "found i: 2" }
            words.assertViewState(.init(begun: 1, answer: "found i: 2"))
            #expect(words.domainState.group == "texts")
            await words.finish()
        }
    }

    @Test("Actions from started must be asserted", arguments: TestPlacement.allCases)
    func startedIsAsserted(placement: TestPlacement) async throws {
        let messages = try await collectMessages {
            try await withTestViewModel(of: WordsFeature.self, placement: placement, timeout: .seconds(120)) { words in
                await words.send(.add("a")) { $0.texts = ["a"] }
                await words.finish()
            }
        }
        #expect(messages.count == 1)
        #expect(messages.first?.hasPrefix("1 received action was not asserted before the next one was sent:") == true)
    }

    @Test("The expected state of a test has no worker-local parts", arguments: TestPlacement.allCases)
    func expectationsReadNothing(placement: TestPlacement) async throws {
        let messages = try await collectMessages {
            try await withTestViewModel(of: WordsFeature.self, placement: placement, timeout: .seconds(120)) { words in
                words.exhaustivity = .off()
                await words.send(.add("a")) { #expect($0.index.counts.isEmpty) }
                await words.finish()
            }
        }
        #expect(messages.count == 1)
        #expect(messages.first?.hasPrefix("A @WorkerLocal property of type WordIndex was read ") == true)
    }
}
