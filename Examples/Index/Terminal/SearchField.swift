import ExampleSupport

/// The word that is typed in one terminal. It changes nothing itself.
struct SearchField: Equatable, Sendable {
    /// What a key asks for.
    enum Request: Equatable, Sendable {
        case nothing
        /// nil: nothing is searched for any more.
        case search(String?)
        case readAgain
        case quit
    }

    private static let longestWord = 64

    private(set) var text = ""

    mutating func handle(_ key: Key) -> Request {
        switch key {
        case .text(let scalar):
            let longer = text + String(scalar)
            guard Words.isWord(longer), longer.utf8.count <= Self.longestWord else { return .nothing }
            text = longer
            return .search(text)
        case .backspace:
            guard !text.isEmpty else { return .nothing }
            text.removeLast()
            return .search(text.isEmpty ? nil : text)
        case .enter: return .readAgain
        case .escape, .interrupt: return .quit
        case .up, .down, .other: return .nothing
        }
    }
}
