import LatticeCore

/// Keyed elements. Each action changes one of them.
enum KeyedFeature: HostedFeature {
    typealias Configuration = KeyedSize

    static let identifier = "bench-keyed"
    static let defaultConfiguration = KeyedSize.empty

    static func initialDomainState(in context: HostContext) -> KeyedState {
        KeyedState(context.configuration(of: Self.self))
    }

    static func interactor(in context: HostContext) -> Interact<KeyedState, Int> {
        Interact { state, number in
            state.change(to: number)
            return .none
        }
    }

    static func reducer() -> BuildViewState<KeyedState, KeyedShown> {
        BuildViewState(initial: { _ in KeyedShown() }) { state, shown in
            shown.newest = state.newest
            guard state.isShown else { return }
            shown.rows.update(from: state.elements) { _, element, row in row = element }
        }
    }
}

/// The size of a state. Each size is the name of an instance.
enum KeyedSize: String, Codable, Sendable {
    case empty
    case thousand
    case hundredThousand
    /// 100,000 elements that are not shown.
    case hidden
    /// 50 MB that are not shown.
    case restored
    /// 50 MB that are shown completely.
    case snapshot

    var elements: Int {
        switch self {
        case .empty: 0
        case .thousand: 1000
        case .hundredThousand, .hidden: 100_000
        case .restored, .snapshot: 50_000
        }
    }

    /// The bytes of text of an element.
    var textBytes: Int { self == .restored || self == .snapshot ? 1000 : 84 }

    /// A Boolean value that indicates whether the view state contains all elements.
    var isShown: Bool { self != .hidden && self != .restored }
}

struct KeyedState: Patchable, Sendable {
    var elements: StateDictionary<Int, TextElement>
    var newest = 0
    var isShown: Bool

    init(_ size: KeyedSize) {
        elements = StateDictionary((0..<size.elements).map { ($0, TextElement($0, bytes: size.textBytes)) })
        isShown = size.isShown
    }

    /// Returns the key of the element that an action changes. Consecutive numbers change distant elements.
    static func key(of number: Int, in count: Int) -> Int { number * 7919 % count }

    mutating func change(to number: Int) {
        newest = number
        guard !elements.isEmpty else { return }
        elements[Self.key(of: number, in: elements.count)]?.number = number
    }

    func encodePatch(from old: Self, to patch: inout PatchEncoder) throws {
        try patch.field("elements", from: old.elements, to: elements)
        try patch.field("newest", from: old.newest, to: newest)
        try patch.field("isShown", from: old.isShown, to: isShown)
    }

    mutating func apply(_ patch: inout PatchDecoder) throws {
        try patch.fields { name, patch in
            switch name {
            case "elements": try patch.apply(to: &elements)
            case "newest": try patch.apply(to: &newest)
            case "isShown": try patch.apply(to: &isShown)
            default: throw patch.unknownField(name)
            }
        }
    }
}

struct KeyedShown: Patchable, Sendable {
    var rows: StateDictionary<Int, TextElement> = [:]
    var newest = 0

    /// Returns the number that is shown for the element that an action has changed, or the state's number if elements
    /// are not shown.
    func number(shownFor number: Int) -> Int {
        rows.isEmpty ? newest : rows[KeyedState.key(of: number, in: rows.count)]?.number ?? 0
    }

    func encodePatch(from old: Self, to patch: inout PatchEncoder) throws {
        try patch.field("rows", from: old.rows, to: rows)
        try patch.field("newest", from: old.newest, to: newest)
    }

    mutating func apply(_ patch: inout PatchDecoder) throws {
        try patch.fields { name, patch in
            switch name {
            case "rows": try patch.apply(to: &rows)
            case "newest": try patch.apply(to: &newest)
            default: throw patch.unknownField(name)
            }
        }
    }
}

/// An element with a text and a number.
struct TextElement: Patchable, Sendable {
    var text: String
    var number = 0

    /// Creates an element with a unique text.
    init(_ index: Int, bytes: Int) {
        let start = "element \(index) "
        text = start + String(repeating: "x", count: bytes - start.utf8.count)
    }

    func encodePatch(from old: Self, to patch: inout PatchEncoder) throws {
        try patch.field("text", from: old.text, to: text)
        try patch.field("number", from: old.number, to: number)
    }

    mutating func apply(_ patch: inout PatchDecoder) throws {
        try patch.fields { name, patch in
            switch name {
            case "text": try patch.apply(to: &text)
            case "number": try patch.apply(to: &number)
            default: throw patch.unknownField(name)
            }
        }
    }
}
