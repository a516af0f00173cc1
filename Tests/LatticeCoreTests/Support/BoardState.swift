import LatticeCore

// Written by hand, as what the macro writes: LatticeCore can be used without macros.

/// An observable state with one of each kind of property.
struct Board: ObservableState, Patchable, Equatable, Sendable {
    private enum CodingKeys: String, CodingKey {
        case id
        case _title = "title"
        case _ratio = "ratio"
        case _detail = "detail"
        case _selected = "selected"
        case _rows = "rows"
        case _steps = "steps"
        case _names = "names"
        case _list = "list"
        case _table = "table"
        case _status = "status"
    }

    var _$observationRegistrar = ObservationStateRegistrar()
    let id: Int
    private var _title: String
    private var _ratio: Double
    private var _detail: Detail
    private var _selected: Detail?
    private var _rows: [Row]
    private var _steps: [Step]
    private var _names: [String: Detail]
    private var _list: StateList<Row>
    private var _table: StateDictionary<String, Detail>
    private var _status: Status

    init(
        id: Int = 0,
        title: String = "",
        ratio: Double = 0,
        detail: Detail = Detail(),
        selected: Detail? = nil,
        rows: [Row] = [],
        steps: [Step] = [],
        names: [String: Detail] = [:],
        list: StateList<Row> = [],
        table: StateDictionary<String, Detail> = [:],
        status: Status = .idle
    ) {
        self.id = id
        _title = title
        _ratio = ratio
        _detail = detail
        _selected = selected
        _rows = rows
        _steps = steps
        _names = names
        _list = list
        _table = table
        _status = status
    }

    var title: String {
        get {
            _$observationRegistrar.access(self, keyPath: \.title)
            return _title
        }
        set { _title = newValue }
        _modify { yield &_title }
    }

    var ratio: Double {
        get {
            _$observationRegistrar.access(self, keyPath: \.ratio)
            return _ratio
        }
        set { _ratio = newValue }
        _modify { yield &_ratio }
    }

    var detail: Detail {
        get {
            _$observationRegistrar.access(self, keyPath: \.detail)
            return _detail
        }
        set { _detail = newValue }
        _modify { yield &_detail }
    }

    var selected: Detail? {
        get {
            _$observationRegistrar.access(self, keyPath: \.selected)
            return _selected
        }
        set { _selected = newValue }
        _modify { yield &_selected }
    }

    var rows: [Row] {
        get {
            _$observationRegistrar.access(self, keyPath: \.rows)
            return _rows
        }
        set { _rows = newValue }
        _modify { yield &_rows }
    }

    var steps: [Step] {
        get {
            _$observationRegistrar.access(self, keyPath: \.steps)
            return _steps
        }
        set { _steps = newValue }
        _modify { yield &_steps }
    }

    var names: [String: Detail] {
        get {
            _$observationRegistrar.access(self, keyPath: \.names)
            return _names
        }
        set { _names = newValue }
        _modify { yield &_names }
    }

    var list: StateList<Row> {
        get {
            _$observationRegistrar.access(self, keyPath: \.list)
            return _list
        }
        set { _list = newValue }
        _modify { yield &_list }
    }

    var table: StateDictionary<String, Detail> {
        get {
            _$observationRegistrar.access(self, keyPath: \.table)
            return _table
        }
        set { _table = newValue }
        _modify { yield &_table }
    }

    var status: Status {
        get {
            _$observationRegistrar.access(self, keyPath: \.status)
            return _status
        }
        set { _status = newValue }
        _modify { yield &_status }
    }

    /// Reads a property, and is observed through it.
    var heading: String { title.uppercased() }

    var _$id: ObservableStateID { _$observationRegistrar.id }

    mutating func _$willModify() { _$observationRegistrar._$willModify() }

    mutating func _$takePlace(of shown: Self, _ changes: inout _ObservationChanges) -> Bool {
        let isSame = _$isSameValue(id, shown.id)
        _$observationRegistrar.takePlace(of: shown._$observationRegistrar, isSame: isSame, changes)
        if !changes.settle(&_title, over: shown._title) { changes.note(\.title, of: shown, _$observationRegistrar) }
        if !changes.settle(&_ratio, over: shown._ratio) { changes.note(\.ratio, of: shown, _$observationRegistrar) }
        if !changes.settle(&_detail, over: shown._detail) { changes.note(\.detail, of: shown, _$observationRegistrar) }
        if !changes.settle(&_selected, over: shown._selected) {
            changes.note(\.selected, of: shown, _$observationRegistrar)
        }
        if !changes.settle(&_rows, over: shown._rows) { changes.note(\.rows, of: shown, _$observationRegistrar) }
        if !changes.settle(&_steps, over: shown._steps) { changes.note(\.steps, of: shown, _$observationRegistrar) }
        if !changes.settle(&_names, over: shown._names) { changes.note(\.names, of: shown, _$observationRegistrar) }
        if !changes.settle(&_list, over: shown._list) { changes.note(\.list, of: shown, _$observationRegistrar) }
        if !changes.settle(&_table, over: shown._table) { changes.note(\.table, of: shown, _$observationRegistrar) }
        if !changes.settle(&_status, over: shown._status) { changes.note(\.status, of: shown, _$observationRegistrar) }
        return isSame
    }

    func encodePatch(from old: Self, to patch: inout PatchEncoder) throws {
        guard id == old.id else { return try patch.set(self) }
        try patch.field("title", from: old._title, to: _title)
        try patch.field("ratio", from: old._ratio, to: _ratio)
        try patch.field("detail", from: old._detail, to: _detail)
        try patch.field("selected", from: old._selected, to: _selected)
        try patch.field("rows", from: old._rows, to: _rows)
        try patch.field("steps", from: old._steps, to: _steps)
        try patch.field("names", from: old._names, to: _names)
        try patch.field("list", from: old._list, to: _list)
        try patch.field("table", from: old._table, to: _table)
        try patch.field("status", from: old._status, to: _status)
    }

    mutating func apply(_ patch: inout PatchDecoder) throws {
        try patch.fields { name, patch in
            switch name {
            case "title": try patch.apply(to: &_title)
            case "ratio": try patch.apply(to: &_ratio)
            case "detail": try patch.apply(to: &_detail)
            case "selected": try patch.apply(to: &_selected)
            case "rows": try patch.apply(to: &_rows)
            case "steps": try patch.apply(to: &_steps)
            case "names": try patch.apply(to: &_names)
            case "list": try patch.apply(to: &_list)
            case "table": try patch.apply(to: &_table)
            case "status": try patch.apply(to: &_status)
            default: throw patch.unknownField(name)
            }
        }
    }
}

struct Detail: ObservableState, Patchable, Equatable, Sendable {
    var _$observationRegistrar = ObservationStateRegistrar()
    private var _text: String
    private var _count: Int

    init(text: String = "", count: Int = 0) {
        _text = text
        _count = count
    }

    var text: String {
        get {
            _$observationRegistrar.access(self, keyPath: \.text)
            return _text
        }
        set { _text = newValue }
        _modify { yield &_text }
    }

    var count: Int {
        get {
            _$observationRegistrar.access(self, keyPath: \.count)
            return _count
        }
        set { _count = newValue }
        _modify { yield &_count }
    }

    var _$id: ObservableStateID { _$observationRegistrar.id }

    mutating func _$willModify() { _$observationRegistrar._$willModify() }

    mutating func _$takePlace(of shown: Self, _ changes: inout _ObservationChanges) -> Bool {
        _$observationRegistrar.takePlace(of: shown._$observationRegistrar, isSame: true, changes)
        if !changes.settle(&_text, over: shown._text) { changes.note(\.text, of: shown, _$observationRegistrar) }
        if !changes.settle(&_count, over: shown._count) { changes.note(\.count, of: shown, _$observationRegistrar) }
        return true
    }

    func encodePatch(from old: Self, to patch: inout PatchEncoder) throws {
        try patch.field("_text", from: old._text, to: _text)
        try patch.field("_count", from: old._count, to: _count)
    }

    mutating func apply(_ patch: inout PatchDecoder) throws {
        try patch.fields { name, patch in
            switch name {
            case "_text": try patch.apply(to: &_text)
            case "_count": try patch.apply(to: &_count)
            default: throw patch.unknownField(name)
            }
        }
    }
}

/// An element with an ID.
struct Row: ObservableState, Patchable, Identifiable, Equatable, Sendable {
    private enum CodingKeys: String, CodingKey {
        case id
        case _name = "name"
    }

    var _$observationRegistrar = ObservationStateRegistrar()
    let id: Int
    private var _name: String

    init(_ id: Int, _ name: String = "") {
        self.id = id
        _name = name
    }

    var name: String {
        get {
            _$observationRegistrar.access(self, keyPath: \.name)
            return _name
        }
        set { _name = newValue }
        _modify { yield &_name }
    }

    var _$id: ObservableStateID { _$observationRegistrar.id }

    mutating func _$willModify() { _$observationRegistrar._$willModify() }

    mutating func _$takePlace(of shown: Self, _ changes: inout _ObservationChanges) -> Bool {
        let isSame = _$isSameValue(id, shown.id)
        _$observationRegistrar.takePlace(of: shown._$observationRegistrar, isSame: isSame, changes)
        if !changes.settle(&_name, over: shown._name) { changes.note(\.name, of: shown, _$observationRegistrar) }
        return isSame
    }

    func encodePatch(from old: Self, to patch: inout PatchEncoder) throws {
        guard id == old.id else { return try patch.set(self) }
        try patch.field("name", from: old._name, to: _name)
    }

    mutating func apply(_ patch: inout PatchDecoder) throws {
        try patch.fields { name, patch in
            switch name {
            case "name": try patch.apply(to: &_name)
            default: throw patch.unknownField(name)
            }
        }
    }
}

/// An element that is known by where it stands.
struct Step: ObservableState, Codable, Equatable, Sendable {
    private enum CodingKeys: String, CodingKey {
        case _text = "text"
    }

    var _$observationRegistrar = ObservationStateRegistrar()
    private var _text: String

    init(_ text: String) {
        _text = text
    }

    var text: String {
        get {
            _$observationRegistrar.access(self, keyPath: \.text)
            return _text
        }
        set { _text = newValue }
        _modify { yield &_text }
    }

    var _$id: ObservableStateID { _$observationRegistrar.id }

    mutating func _$willModify() { _$observationRegistrar._$willModify() }

    mutating func _$takePlace(of shown: Self, _ changes: inout _ObservationChanges) -> Bool {
        _$observationRegistrar.takePlace(of: shown._$observationRegistrar, isSame: true, changes)
        if !changes.settle(&_text, over: shown._text) { changes.note(\.text, of: shown, _$observationRegistrar) }
        return true
    }
}

/// An observable enum. Its cases have no payload, one, several, and one that is observable itself.
enum Status: ObservableState, Patchable, Equatable, Sendable {
    case idle
    case busy(Int)
    case failed(String, code: Int)
    case loaded(Detail)

    var loaded: Detail? {
        if case .loaded(let detail) = self { detail } else { nil }
    }

    var _$id: ObservableStateID {
        switch self {
        case .idle: ObservableStateID._$plain._$tag(0)
        case .busy: ObservableStateID._$plain._$tag(1)
        case .failed: ObservableStateID._$plain._$tag(2)
        case .loaded(let detail): ObservableStateID._$id(for: detail)._$tag(3)
        }
    }

    mutating func _$willModify() {
        switch self {
        case .idle, .busy, .failed: break
        case .loaded(var detail):
            LatticeCore._$willModify(&detail)
            self = .loaded(detail)
        }
    }

    mutating func _$takePlace(of shown: Self, _ changes: inout _ObservationChanges) -> Bool {
        switch (self, shown) {
        case (.idle, .idle):
            return true
        case (.busy(var value), .busy(let shownValue)):
            let isSame = changes.settle(&value, over: shownValue)
            self = .busy(value)
            return isSame
        case (.failed(var text, var code), .failed(let shownText, let shownCode)):
            let isSameText = changes.settle(&text, over: shownText)
            let isSameCode = changes.settle(&code, over: shownCode)
            self = .failed(text, code: code)
            return isSameText && isSameCode
        case (.loaded(var detail), .loaded(let shownDetail)):
            let isSame = changes.settle(&detail, over: shownDetail)
            self = .loaded(detail)
            return isSame
        default:
            _ObservationChanges.place(&self)
            return false
        }
    }
}
