package import LatticeCore

/// A feature whose states are sent as patches.
///
/// The effect of an event depends only on its number. The expected state can therefore be computed from the numbers of
/// the events that it contains.
package enum ArchiveFeature: HostedFeature {
    package struct Action: Codable, Sendable {
        package let number: UInt64
        /// The number of the event that an effect of this event sends.
        package let next: UInt64?

        package init(number: UInt64, next: UInt64? = nil) {
            self.number = number
            self.next = next
        }
    }

    package struct Card: Codable, Equatable, Identifiable, Sendable {
        package let id: Int
        package var title: String
    }

    package struct DomainState: Patchable, Sendable {
        package var files: StateDictionary<Int, [String]> = [:]
        package var cards: StateList<Card> = []
        package var numbers: [UInt64] = []
        package var note: String?

        package func encodePatch(from old: Self, to patch: inout PatchEncoder) throws {
            try patch.field("files", from: old.files, to: files)
            try patch.field("cards", from: old.cards, to: cards)
            try patch.field("numbers", from: old.numbers, to: numbers)
            try patch.field("note", from: old.note, to: note)
        }

        package mutating func apply(_ patch: inout PatchDecoder) throws {
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

        package mutating func handle(_ number: UInt64) {
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
                // 20 KB on average, so that about forty events fill a socket.
                default: note = key % 3 == 0 ? nil : String(repeating: "\(key)", count: key * key * key)
                }
            }
        }
    }

    package struct ViewState: Patchable, Sendable {
        package var rows: StateList<Card> = []
        package var counts: StateDictionary<Int, Int> = [:]
        package var numbers: [UInt64] = []
        package var note: String?

        package init() {}

        /// Creates the view state that is expected after these events.
        package init(of numbers: [UInt64]) {
            var state = DomainState()
            for number in numbers { state.handle(number) }
            self.init(state)
        }

        fileprivate init(_ state: DomainState) {
            numbers = state.numbers
            rows = StateList(state.cards)
            counts = StateDictionary(state.files.map { ($0, $1.count) })
            note = state.note
        }

        package func encodePatch(from old: Self, to patch: inout PatchEncoder) throws {
            try patch.field("rows", from: old.rows, to: rows)
            try patch.field("counts", from: old.counts, to: counts)
            try patch.field("numbers", from: old.numbers, to: numbers)
            try patch.field("note", from: old.note, to: note)
        }

        package mutating func apply(_ patch: inout PatchDecoder) throws {
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

    package static let identifier = "archive"
    package static func initialDomainState(in context: HostContext) -> DomainState { DomainState() }

    package static func interactor(in context: HostContext) -> Interact<DomainState, Action> {
        Interact { state, action in
            state.handle(action.number)
            guard let next = action.next else { return .none }
            return .perform { Action(number: next) }
        }
    }

    package static func reducer() -> BuildViewState<DomainState, ViewState> {
        BuildViewState(initial: { _ in ViewState() }) { state, view in
            view.rows.update(from: state.cards) { $1 = $0 }
            view.counts.update(from: state.files) { $2 = $1.count }
            view.numbers = state.numbers
            view.note = state.note
        }
    }
}

extension ArchiveFeature {
    /// Returns what is wrong with a sequence of observed view states, or nil if all are right.
    ///
    /// Each state must be the result of the first events in `numbers`, and must contain at least as many events as the
    /// state before it.
    ///
    /// - Parameters:
    ///   - shown: The view states in the order in which a client was shown them.
    ///   - numbers: The numbers of all events, in the order in which they were handled.
    package static func fault(in shown: [ViewState], of numbers: [UInt64]) -> String? {
        var state = DomainState()
        var expected = ViewState()
        for (place, view) in shown.enumerated() {
            let count = view.numbers.count
            guard count >= state.numbers.count else {
                return "state \(place) has \(count) events, and the one before it \(state.numbers.count)"
            }
            guard numbers.starts(with: view.numbers) else { return "state \(place) has other events: \(view.numbers)" }
            if count > state.numbers.count {
                for number in numbers[state.numbers.count..<count] { state.handle(number) }
                expected = ViewState(state)
            }
            if view.rows != expected.rows { return "state \(place), of \(count) events, has other rows" }
            if view.counts != expected.counts { return "state \(place), of \(count) events, has other counts" }
            if view != expected { return "state \(place), of \(count) events, has another note" }
        }
        return nil
    }
}
