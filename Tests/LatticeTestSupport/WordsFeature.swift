package import LatticeCore

/// A feature that counts words of texts in a worker-local index. Each incarnation builds the index again.
package enum WordsFeature: HostedFeature {
    package enum Action: Codable, Sendable, Equatable {
        /// The action that `started` returns.
        case begin(incarnation: UInt64)
        /// Adds the words of a text.
        case add(String)
        /// Looks up how often the index contains a word.
        case look(String)
        /// Makes the state this many bytes larger.
        case grow(Int)
    }

    package struct Configuration: Codable, Sendable, Equatable {
        /// The text between two words.
        package var separator: String
        /// The number of bytes by which each incarnation makes the state larger.
        package var growth = 0
        /// The gate at which an effect of each incarnation waits.
        package var gate: String?

        package init(separator: String = " ", growth: Int = 0, gate: String? = nil) {
            self.separator = separator
            self.growth = growth
            self.gate = gate
        }
    }

    package struct DomainState: Codable, Sendable, Equatable {
        package var instance: String
        /// The group in the context of the first incarnation.
        package var group: String
        package var texts: [String] = []
        package var begun = 0
        package var incarnation: UInt64 = 0
        package var answer = ""
        package var padding = ""
        @WorkerLocal package var index = WordIndex()

        package init(instance: String = "", group: String = "") {
            self.instance = instance
            self.group = group
        }
    }

    /// The number of times that each word was added.
    package struct WordIndex: WorkerLocalValue, Sendable {
        package var counts: [String: Int] = [:]

        package init() {}
    }

    package struct ViewState: Codable, Sendable, Equatable {
        package var begun: Int
        package var answer: String

        package init(begun: Int, answer: String) {
            self.begun = begun
            self.answer = answer
        }
    }

    /// The dependency key of a prefix for answers.
    package enum PrefixKey: HostDependencyKey {
        package static var defaultValue: String { "default: " }
    }

    package static let identifier = "words"
    package static let defaultConfiguration = Configuration()

    package static func initialDomainState(in context: HostContext) -> DomainState {
        DomainState(instance: context.instance, group: context.group)
    }

    package static func interactor(in context: HostContext) -> Interact<DomainState, Action> {
        let configuration = context.configuration(of: Self.self)
        let separator = configuration.separator
        let prefix = context[PrefixKey.self]
        return Interact { state, action in
            switch action {
            case .begin(let incarnation):
                state.begun += 1
                state.incarnation = incarnation
                state.padding += String(repeating: "x", count: configuration.growth)
                for text in state.texts { state.index.add(text, separator) }
                if let gate = configuration.gate {
                    return .perform {
                        try await Gates.wait(gate)
                        return nil
                    }
                }
            case .add(let text):
                state.texts.append(text)
                state.index.add(text, separator)
            case .look(let word):
                state.answer = "\(prefix)\(state.instance)\(state.index.counts[word, default: 0])"
            case .grow(let bytes):
                state.index.add("grown", separator)
                state.padding += String(repeating: "x", count: bytes)
            }
            return .none
        }
    }

    package static func reducer() -> BuildViewState<DomainState, ViewState> {
        BuildViewState(initial: { _ in ViewState(begun: 0, answer: "") }) { state, view in
            view.begun = state.begun
            view.answer = state.answer
        }
    }

    package static func started(_ context: HostContext, in state: DomainState) -> Action? {
        .begin(incarnation: context.incarnation)
    }

    /// The answers of ``ask(_:)`` in each placement, with the instance "i: ", the separator "," and the prefix "found
    /// ".
    package static let answers = ["1 found i: 2", "1 found i: 1", "1 found i: 0"]
    /// The answers of ``askAgain(_:)`` after a restart of the worker.
    package static let answersAfterRestart = ["2 found i: 3"]

    /// Adds a text and returns the answers for three words, each with the number of starts.
    @MainActor
    package static func ask(_ viewModel: ViewModel<WordsFeature>) async -> [String] {
        await viewModel.sendViewEvent(.add("a,b c,a")).finish()
        return await ask(viewModel, "a", "b c", "b")
    }

    /// Adds a word again and returns the answer for it. Call it after a restart of the worker.
    @MainActor
    package static func askAgain(_ viewModel: ViewModel<WordsFeature>) async -> [String] {
        await viewModel.sendViewEvent(.add("a")).finish()
        return await ask(viewModel, "a")
    }

    @MainActor
    private static func ask(_ viewModel: ViewModel<WordsFeature>, _ words: String...) async -> [String] {
        var answers: [String] = []
        for word in words {
            await viewModel.sendViewEvent(.look(word)).finish()
            answers.append("\(viewModel.viewState.begun) \(viewModel.viewState.answer)")
        }
        return answers
    }
}

extension WordsFeature.WordIndex {
    fileprivate mutating func add(_ text: String, _ separator: String) {
        for word in text.split(separator: separator) { counts[String(word), default: 0] += 1 }
    }
}
