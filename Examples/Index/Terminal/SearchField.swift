import ExampleSupport

/// The word that is typed in one terminal. It changes nothing itself.
struct SearchField: Equatable, Sendable {
    /// What a key asks for.
    enum Request: Equatable, Sendable {
        case nothing
        /// Of what is typed now, or of nothing.
        case search
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
            return .search
        case .backspace:
            guard !text.isEmpty else { return .nothing }
            text.removeLast()
            return .search
        case .enter: return .readAgain
        case .escape, .interrupt: return .quit
        case .up, .down, .other: return .nothing
        }
    }
}
