import ExampleSupport

/// The word that is typed in one terminal. It is a value without side effects.
struct SearchField: Equatable, Sendable {
    /// The request of a key.
    enum Request: Equatable, Sendable {
        case nothing
        /// Search for the current word, which may be empty.
        case search
        case readAgain
        case quit
    }

    private static let maximumWord = 64

    private(set) var text = ""

    mutating func handle(_ key: Key) -> Request {
        switch key {
        case .text(let scalar):
            let longer = text + String(scalar)
            guard Words.isWord(longer), longer.utf8.count <= Self.maximumWord else { return .nothing }
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
