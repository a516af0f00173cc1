import Lattice

/// The feature of the articles of module LatticeCoordinator that keeps an index in its worker.
enum Notes: HostedFeature {
    enum Action: Codable, Equatable, Sendable {
        case buildIndex
        case add(String)
        case find(String)
    }

    struct Configuration: Codable, Sendable {
        var maximumResults = 20
    }

    struct DomainState: Codable, Equatable, Sendable {
        var notes: [String] = []
        var found: [Int] = []
        @WorkerLocal var index = WordIndex()
    }

    static let identifier = "notes"
    static let defaultConfiguration = Configuration()
    static func initialDomainState(in context: HostContext) -> DomainState { DomainState() }

    static func interactor(in context: HostContext) -> Interact<DomainState, Action> {
        let maximumResults = context.configuration(of: Self.self).maximumResults
        let words = context[WordsKey.self]
        return Interact { state, action in
            switch action {
            case .buildIndex:
                for (number, note) in state.notes.enumerated() { state.index.add(words(note), of: number) }
            case .add(let note):
                state.index.add(words(note), of: state.notes.count)
                state.notes.append(note)
            case .find(let word):
                state.found = Array(state.index.notes(with: word).prefix(maximumResults))
            }
            return .none
        }
    }

    static func started(_ context: HostContext, in state: DomainState) -> Action? {
        state.notes.isEmpty ? nil : .buildIndex
    }

    static func reducer() -> BuildViewState<DomainState, [String]> {
        BuildViewState(initial: { _ in [] }) { state, found in found = state.found.map { state.notes[$0] } }
    }
}

extension Notes: AnsweringFeature {
    /// The notes that have a word.
    static func answer(_ word: String, from state: DomainState, in context: HostContext) -> [String] {
        state.index.notes(with: word).map { state.notes[$0] }
    }
}

struct WordIndex: WorkerLocalValue {
    private var numbers: [Substring: Set<Int>] = [:]

    mutating func add(_ words: [Substring], of note: Int) {
        for word in words { numbers[word, default: []].insert(note) }
    }

    func notes(with word: String) -> [Int] { numbers[Substring(word), default: []].sorted() }
}

/// The function that splits a text into words.
enum WordsKey: HostDependencyKey {
    static var defaultValue: @Sendable (String) -> [Substring] { { $0.split(separator: " ") } }
}
