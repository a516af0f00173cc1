public import Lattice

// States with every kind of property and case, with keys of their own, and generic ones.

@Patchable
struct ArchiveState: Sendable {
    let name: String
    var note: String?
    var count = 0
    private(set) var level: Level = .low
    var files: StateDictionary<String, FileState> = [:]
    var plain: [FileState] = []
    var progress = ProgressState.idle
    var whole: WholeState?
    @Bounded var percent = 0
    var `default` = false
    var limited = 0 { didSet { limited = min(limited, 9) } }
    var doubled: Int {
        get { count * 2 }
        set { count = newValue / 2 }
    }
    static let shared = ArchiveState(name: "shared")

    init(name: String) {
        self.name = name
    }

    mutating func raise() {
        level = level == .low ? .high : .low
    }
}

@Patchable
struct FileState: Codable, Equatable, Identifiable, Sendable {
    let id: Int
    var size = 0
    var words: StateDictionary<String, Int> = [:]
    var secret = 0

    private enum CodingKeys: String, CodingKey {
        case id = "number", size, words = "w"
    }

    init(id: Int, size: Int = 0) {
        self.id = id
        self.size = size
    }
}

@Patchable
enum ProgressState: Codable, Equatable, Sendable {
    case idle
    case running(FileState, steps: [Int], _ label: String? = nil)
    indirect case paused(ProgressState)
    case failed(for: String)
}

/// An enum in which every case has a payload, with keys of its own.
@Patchable
enum ChoiceState: Codable, Equatable, Sendable {
    case number(Int)
    case text(String, size: Int)

    private enum CodingKeys: String, CodingKey {
        case number = "n", text
    }

    private enum TextCodingKeys: String, CodingKey {
        case _0 = "value", size
    }
}

@Patchable
enum Level: String, Sendable {
    case low, high
}

@Patchable
enum Sign: Codable, Equatable, Sendable {
    case plus, minus
}

/// A state that is not patchable.
struct WholeState: Codable, Equatable, Sendable {
    var text = ""
}

@Patchable
struct BoxState<Value: Codable & Equatable & Sendable>: Codable, Equatable, Sendable {
    var value: Value
    var other: Value?
    var list: [Value] = []
}

@Patchable
enum GenericCase<Value: Codable & Equatable & Sendable>: Codable, Equatable, Sendable {
    case none
    case some(Value)
}

enum PatchableSpace {
    @Patchable
    fileprivate struct Inner {
        private var text = ""
        #if DEBUG || !DEBUG
        var always = 0
        #else
        var never = 0
        #endif
        lazy var late = 5

        static func == (one: Self, two: Self) -> Bool {
            one.text == two.text && one.always == two.always
        }
    }
}

/// A part of it is never sent.
@Patchable
struct LocalState: Sendable {
    @WorkerLocal var words = LocalWords()
    var count = 0
}

struct LocalWords: WorkerLocalValue, Sendable {
    var all: Set<String> = []
}

/// The keys stand elsewhere.
@Patchable
struct ElsewhereState: Codable, Equatable, Sendable {
    var first = 0
    var second = 0
}

extension ElsewhereState {
    private enum CodingKeys: String, CodingKey {
        case first = "f", second = "s"
    }
}

@Patchable
public struct ConstantState: Codable, Equatable, Sendable {
    public let text: String
}

@Patchable
struct EmptyPatchState: Sendable {}

@ObservableState
struct BoardViewState: Patchable, Sendable {
    let name: String
    var title = ""
    var rows: StateList<RowState> = []
    var selected: RowState?
    var mode = ModeState.closed
    private(set) var visits = 0
    @Bounded var percent = 0
    @ObservationStateIgnored var cache = 0

    init(name: String) {
        self.name = name
    }

    mutating func visit() {
        visits += 1
    }
}

@ObservableState
struct RowState: Patchable, Identifiable, Sendable {
    let id: Int
    var text = ""
    var isDone = false

    private enum CodingKeys: String, CodingKey {
        case id, _text = "t", _isDone = "done"
    }
}

@ObservableState
enum ModeState: Patchable, Sendable {
    case closed
    case open(RowState)
    case several(RowState, Int)
}

/// A state with its own patch functions.
@ObservableState
struct OwnPatchState: Patchable, Sendable {
    var text = ""
    var ignored = 0

    func encodePatch(from old: Self, to patch: inout PatchEncoder) throws {
        try patch.field("text", from: old._text, to: _text)
    }

    mutating func apply(_ patch: inout PatchDecoder) throws {
        try patch.fields { _, patch in try patch.apply(to: &_text) }
    }
}

/// A property wrapper, which encodes as what it stores.
@propertyWrapper
struct Bounded: Codable, Equatable, Sendable {
    private var value = 0

    init(wrappedValue: Int) {
        self.wrappedValue = wrappedValue
    }

    var wrappedValue: Int {
        get { value }
        set { value = min(max(newValue, 0), 100) }
    }
}
