import LatticeCore

// The code that `@ObservableState` would generate. This program is built without macros.

struct CardsShown: ObservableState, Patchable, Sendable {
    private enum CodingKeys: String, CodingKey {
        case _cards = "cards"
    }

    var _$observationRegistrar = ObservationStateRegistrar()
    private var _cards: StateList<ShownCard> = []

    var cards: StateList<ShownCard> {
        get {
            _$observationRegistrar.access(self, keyPath: \.cards)
            return _cards
        }
        set { _cards = newValue }
        _modify { yield &_cards }
    }

    var _$id: ObservableStateID { _$observationRegistrar.id }

    mutating func _$willModify() { _$observationRegistrar._$willModify() }

    mutating func _$takePlace(of shown: Self, _ changes: inout _ObservationChanges) -> Bool {
        _$observationRegistrar.takePlace(of: shown._$observationRegistrar, isSame: true, changes)
        if !changes.settle(&_cards, over: shown._cards) { changes.note(\.cards, of: shown, _$observationRegistrar) }
        return true
    }

    func encodePatch(from old: Self, to patch: inout PatchEncoder) throws {
        try patch.field("cards", from: old._cards, to: _cards)
    }

    mutating func apply(_ patch: inout PatchDecoder) throws {
        try patch.fields { name, patch in
            guard name == "cards" else { throw patch.unknownField(name) }
            try patch.apply(to: &_cards)
        }
    }
}

struct ShownCard: ObservableState, Patchable, Identifiable, Sendable {
    private enum CodingKeys: String, CodingKey {
        case id
        case _title = "title"
    }

    var _$observationRegistrar = ObservationStateRegistrar()
    let id: Int
    private var _title: String

    init(id: Int, title: String) {
        self.id = id
        _title = title
    }

    var title: String {
        get {
            _$observationRegistrar.access(self, keyPath: \.title)
            return _title
        }
        set { _title = newValue }
        _modify { yield &_title }
    }

    var _$id: ObservableStateID { _$observationRegistrar.id }

    mutating func _$willModify() { _$observationRegistrar._$willModify() }

    mutating func _$takePlace(of shown: Self, _ changes: inout _ObservationChanges) -> Bool {
        let isSame = _$isSameValue(id, shown.id)
        _$observationRegistrar.takePlace(of: shown._$observationRegistrar, isSame: isSame, changes)
        if !changes.settle(&_title, over: shown._title) { changes.note(\.title, of: shown, _$observationRegistrar) }
        return isSame
    }

    func encodePatch(from old: Self, to patch: inout PatchEncoder) throws {
        guard id == old.id else { return try patch.set(self) }
        try patch.field("title", from: old._title, to: _title)
    }

    mutating func apply(_ patch: inout PatchDecoder) throws {
        try patch.fields { name, patch in
            guard name == "title" else { throw patch.unknownField(name) }
            try patch.apply(to: &_title)
        }
    }
}
