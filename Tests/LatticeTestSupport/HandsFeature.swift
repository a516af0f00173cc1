package import LatticeConcurrency
package import LatticeCore
package import LatticeTransport

/// A feature that shows each viewer the board and the viewer's own hand.
///
/// The key of a client is its team: "odd" or "even" by the last byte of its identity, or the team that a test sets. The
/// key of the program is "program".
package enum HandsFeature<Shown: HandShowing>: ViewerFeature {
    package enum Action: Codable, Sendable {
        /// Adds a card to the hand of a team.
        case deal(String, to: String)
        /// Adds a word that all viewers see.
        case say(String)
        /// Sets the length of the word that the reducer adds to the hand of a team.
        case pad(Int, of: String)
    }

    package struct Table: Codable, Equatable, Sendable {
        package var board: [String] = []
        package var hands: [String: [String]] = [:]
        package var padding: [String: Int] = [:]
    }

    package static var identifier: String { Shown.identifier }
    package static func initialDomainState(in context: HostContext) -> Table { Table() }

    package static func interactor(in context: HostContext) -> Interact<Table, Action> {
        Interact { table, action in
            switch action {
            case .deal(let card, let team): table.hands[team, default: []].append(card)
            case .say(let word): table.board.append(word)
            case .pad(let length, let team): table.padding[team] = length
            }
            return .none
        }
    }

    package static func viewerKey(of viewer: Viewer) -> String {
        guard case .client(let client) = viewer else { return "program" }
        if let team = HandTeams.chosen.withLock({ $0[client.sender] }) { return team }
        return (client.sender.last?.hexDigitValue ?? 0).isMultiple(of: 2) ? "even" : "odd"
    }

    package static func reducer(for team: String) -> BuildViewState<Table, Shown> {
        BuildViewState(initial: { _ in Shown() }) { table, shown in
            shown.board = table.board
            shown.hand = table.hands[team] ?? []
            shown.padding = String(repeating: "x", count: table.padding[team] ?? 0)
            HandTeams.wait(in: team)
        }
    }
}

/// What tests set for the teams of ``HandsFeature``.
package enum HandTeams {
    /// The teams of clients that a test has moved, by their senders.
    package static let chosen = Locked<[String: String]>([:])
    /// The time in nanoseconds that each reduction takes for a team.
    package static let reductions = Locked<[String: Int64]>([:])

    /// The event loops that should reduce nothing for a team.
    package static let loops = Locked<[String: any EventLoop]>([:])
    /// The teams for which such an event loop has reduced a state.
    package static let onLoop = Locked<Set<String>>([])

    fileprivate static func wait(in team: String) {
        guard let duration = reductions.withLock({ $0[team] }) else { return }
        if loops.withLock({ $0[team] })?.isCurrent == true { onLoop.withLock { _ = $0.insert(team) } }
        let start = MonotonicTime.nanoseconds
        while MonotonicTime.nanoseconds - start < duration {}
    }
}

/// The view state of a ``HandsFeature``.
package protocol HandShowing: Codable, Equatable, Sendable {
    static var identifier: String { get }
    init()
    var board: [String] { get set }
    var hand: [String] { get set }
    var padding: String { get set }
}

/// A view state that is sent as a whole.
package struct WholeHand: HandShowing {
    package static let identifier = "whole-hands"
    package var board: [String] = []
    package var hand: [String] = []
    package var padding = ""

    package init() {}
}

/// A view state that is sent as patches.
package struct PatchedHand: HandShowing, Patchable {
    package static let identifier = "patched-hands"
    package var board: [String] = []
    package var hand: [String] = []
    package var padding = ""

    package init() {}

    package func encodePatch(from old: Self, to patch: inout PatchEncoder) throws {
        try patch.field("board", from: old.board, to: board)
        try patch.field("hand", from: old.hand, to: hand)
        try patch.field("padding", from: old.padding, to: padding)
    }

    package mutating func apply(_ patch: inout PatchDecoder) throws {
        try patch.fields { name, patch in
            switch name {
            case "board": try patch.apply(to: &board)
            case "hand": try patch.apply(to: &hand)
            case "padding": try patch.apply(to: &padding)
            default: throw patch.unknownField(name)
            }
        }
    }
}
