import Lattice

/// The typed text, and the results of searching for it.
struct SearchState: Equatable, Sendable {
    var query = QueryState()
    var results = Results.none

    @CasePathable
    enum Results: Equatable, Sendable {
        /// No text was typed.
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
    /// The number of the line. The first line has the number 1.
    let line: Int
    let text: String
}

@CasePathable
enum SearchAction: Equatable, Sendable {
    case query(QueryAction)
}

@CasePathable
enum QueryAction: Equatable, Sendable {
    /// The whole text of the field, after each key press.
    case typed(String)
    /// The result for a text, which may have changed since.
    case found(Found)
    case failed(text: String, reason: String)
}

struct Found: Equatable, Sendable {
    let text: String
    /// The first matches.
    let matches: [Match]
    /// The number of all matches.
    let total: Int
}
