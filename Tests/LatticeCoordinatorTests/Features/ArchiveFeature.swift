import LatticeCore
import LatticeTestSupport

/// A feature whose states travel as patches. What an event does follows from its number, so what a state should be
/// follows from the numbers of the events in it.
enum ArchiveFeature: HostedFeature {
    struct Action: Codable, Sendable {
        let number: UInt64
    }

    struct Card: Codable, Equatable, Identifiable, Sendable {
        let id: Int
        var title: String
    }

    struct DomainState: Patchable, Sendable {
        var files: StateDictionary<Int, [String]> = [:]
        var cards: StateList<Card> = []
        var numbers: [UInt64] = []
        var note: String?

        func encodePatch(from old: Self, to patch: inout PatchEncoder) throws {
            try patch.field("files", from: old.files, to: files)
            try patch.field("cards", from: old.cards, to: cards)
            try patch.field("numbers", from: old.numbers, to: numbers)
            try patch.field("note", from: old.note, to: note)
        }

        mutating func apply(_ patch: inout PatchDecoder) throws {
            try patch.fields { name, patch in
                switch name {
                case "files": try patch.apply(to: &files)
                case "cards": try patch.apply(to: &cards)
                case "numbers": try patch.apply(to: &numbers)
                case "note": try patch.apply(to: &note)
                default: throw patch.unknownField(name)
                }
            }
        }

        mutating func handle(_ number: UInt64) {
            var generator = SeededGenerator(seed: number)
            numbers.append(number)
            for _ in 0..<Int.random(in: 1..<4, using: &generator) {
                let key = Int.random(in: 0..<40, using: &generator)
                switch Int.random(in: 0..<7, using: &generator) {
                case 0, 1: files[key, default: []].append("\(number)")
                case 2: files[key] = nil
                case 3: cards.insert(Card(id: Int(number) * 4 + key % 4, title: "\(key)"), at: min(key, cards.count))
                case 4: if key < cards.count { cards[key].title += "\(number)" }
                case 5: if let id = cards.last?.id { cards.move(id: id, to: key % cards.count) }
                default: note = key % 3 == 0 ? nil : "\(key)"
                }
            }
        }
    }

    struct ViewState: Patchable, Sendable {
        var rows: StateList<Card> = []
        var counts: StateDictionary<Int, Int> = [:]
        var numbers: [UInt64] = []
        var note: String?

        init() {}

        /// What should be shown when these events have been handled.
        init(of numbers: [UInt64]) {
            var state = DomainState()
            for number in numbers { state.handle(number) }
            self.numbers = numbers
            rows = StateList(state.cards)
            counts = StateDictionary(state.files.map { ($0, $1.count) })
            note = state.note
        }

        func encodePatch(from old: Self, to patch: inout PatchEncoder) throws {
            try patch.field("rows", from: old.rows, to: rows)
            try patch.field("counts", from: old.counts, to: counts)
            try patch.field("numbers", from: old.numbers, to: numbers)
            try patch.field("note", from: old.note, to: note)
        }

        mutating func apply(_ patch: inout PatchDecoder) throws {
            try patch.fields { name, patch in
                switch name {
                case "rows": try patch.apply(to: &rows)
                case "counts": try patch.apply(to: &counts)
                case "numbers": try patch.apply(to: &numbers)
                case "note": try patch.apply(to: &note)
                default: throw patch.unknownField(name)
                }
            }
        }
    }

    static let identifier = "archive"
    static func initialDomainState(in context: HostContext) -> DomainState { DomainState() }

    static func interactor(in context: HostContext) -> Interact<DomainState, Action> {
        Interact { state, action in
            state.handle(action.number)
            return .none
        }
    }

    static func reducer() -> BuildViewState<DomainState, ViewState> {
        BuildViewState(initial: { _ in ViewState() }) { state, view in
            view.rows.update(from: state.cards) { $1 = $0 }
            view.counts.update(from: state.files) { $2 = $1.count }
            view.numbers = state.numbers
            view.note = state.note
        }
    }
}
