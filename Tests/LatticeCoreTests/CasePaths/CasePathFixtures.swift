import LatticeCore

struct Search: Equatable, Sendable {
    var query = ""
    var results: [Int] = []
}

/// A conformance written by hand, as in a target that has no macros.
@dynamicMemberLookup
enum Screen: CasePathable, Equatable, Sendable {
    case idle
    case search(Search)
    case position(x: Int, y: Int)
    case note(String?)
    case `default`(Int)
    indirect case nested(Screen)

    struct AllCasePaths {
        var idle: AnyCasePath<Screen, Void> {
            AnyCasePath(embed: { .idle }, extract: { if case .idle = $0 { () } else { nil } })
        }
        var search: AnyCasePath<Screen, Search> {
            AnyCasePath(embed: { .search($0) }, extract: { if case .search(let value) = $0 { value } else { nil } })
        }
        var position: AnyCasePath<Screen, (x: Int, y: Int)> {
            AnyCasePath(
                embed: { .position(x: $0.x, y: $0.y) },
                extract: { if case .position(let x, let y) = $0 { (x, y) } else { nil } }
            )
        }
        var note: AnyCasePath<Screen, String?> {
            AnyCasePath(embed: { .note($0) }, extract: { if case .note(let value) = $0 { value } else { nil } })
        }
        var `default`: AnyCasePath<Screen, Int> {
            AnyCasePath(embed: { .default($0) }, extract: { if case .default(let value) = $0 { value } else { nil } })
        }
        var nested: AnyCasePath<Screen, Screen> {
            AnyCasePath(embed: { .nested($0) }, extract: { if case .nested(let value) = $0 { value } else { nil } })
        }
    }
    static var allCasePaths: AllCasePaths { AllCasePaths() }
}

/// A hand-written conformance of an enum with generic parameters, with functions instead of closures.
enum Loading<Value: Sendable>: CasePathable, Sendable {
    case running(Double)
    case loaded(Value)

    struct AllCasePaths {
        var running: AnyCasePath<Loading, Double> {
            AnyCasePath(embed: Loading.running) { if case .running(let value) = $0 { value } else { nil } }
        }
        var loaded: AnyCasePath<Loading, Value> {
            AnyCasePath(embed: Loading.loaded) { if case .loaded(let value) = $0 { value } else { nil } }
        }
    }
    static var allCasePaths: AllCasePaths { AllCasePaths() }
}
