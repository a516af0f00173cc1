import Lattice

/// What was typed, and what was found for it.
struct SearchState: Equatable, Sendable {
    var query = QueryState()
    var results = Results.none

    @CasePathable
    enum Results: Equatable, Sendable {
        /// Nothing was typed.
        case none
        case waiting
        case found([Match], total: Int)
        case failed(String)
    }
}

struct QueryState: Equatable, Sendable {
    var text = ""
}

/// One line of a file.
struct Match: Equatable, Sendable {
    let path: String
    /// From 1.
    let line: Int
    let text: String
}

@CasePathable
enum SearchAction: Equatable, Sendable {
    case query(QueryAction)
}

@CasePathable
enum QueryAction: Equatable, Sendable {
    /// The whole text of the field, after each key.
    case typed(String)
    /// What was found for a text that may have been changed since.
    case found(Found)
    case failed(text: String, reason: String)
}

struct Found: Equatable, Sendable {
    let text: String
    /// The first ones.
    let matches: [Match]
    /// How many there are in all.
    let total: Int
}
