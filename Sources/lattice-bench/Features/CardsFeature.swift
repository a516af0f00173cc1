import LatticeCore

/// Ten thousand ordered cards, each of which is observed separately.
enum CardsFeature: HostedFeature {
    static let count = 10_000

    enum Action: Codable, Sendable {
        /// Moves a card to the first place.
        case move(Int)
        case rename(Int, String)
    }

    static let identifier = "bench-cards"
    static func initialDomainState(in context: HostContext) -> CardsState { CardsState() }

    static func interactor(in context: HostContext) -> Interact<CardsState, Action> {
        Interact { state, action in
            switch action {
            case .move(let id): state.cards.move(id: id, to: 0)
            case .rename(let id, let title): state.cards[id: id]?.title = title
            }
            return .none
        }
    }

    static func reducer() -> BuildViewState<CardsState, CardsShown> {
        BuildViewState(initial: { _ in CardsShown() }) { state, shown in
            shown.cards.update(from: state.cards) { card, shownCard in
                if shownCard == nil {
                    shownCard = ShownCard(id: card.id, title: card.title)
                } else {
                    shownCard?.title = card.title
                }
            }
        }
    }
}

struct CardsState: Patchable, Sendable {
    struct Card: Patchable, Identifiable, Sendable {
        let id: Int
        var title: String

        func encodePatch(from old: Self, to patch: inout PatchEncoder) throws {
            guard id == old.id else { return try patch.set(self) }
            try patch.field("title", from: old.title, to: title)
        }

        mutating func apply(_ patch: inout PatchDecoder) throws {
            try patch.fields { name, patch in
                guard name == "title" else { throw patch.unknownField(name) }
                try patch.apply(to: &title)
            }
        }
    }

    var cards = StateList((0..<CardsFeature.count).map { Card(id: $0, title: "Card \($0), and what is to be done") })

    func encodePatch(from old: Self, to patch: inout PatchEncoder) throws {
        try patch.field("cards", from: old.cards, to: cards)
    }

    mutating func apply(_ patch: inout PatchDecoder) throws {
        try patch.fields { name, patch in
            guard name == "cards" else { throw patch.unknownField(name) }
            try patch.apply(to: &cards)
        }
    }
}
