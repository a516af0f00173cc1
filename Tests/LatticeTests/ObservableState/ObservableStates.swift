public import Lattice

// States with every kind of property and case, in every place in which a state can be declared.

@ObservableState
struct ProfileState: Codable, Hashable, Sendable {
    let id: Int
    var name = ""
    var age: Int?
    private(set) var visits = 0
    var address: AddressState = AddressState()
    var friends: [FriendState] = []
    var status = StatusState.away
    @ObservationStateIgnored var cache = 0
    @WorkerLocal var visitors = ["Ada"]
    static let none = ProfileState(id: 0)
    var title: String { "\(name) (\(visits))" }
    var `default`: Bool = false

    init(id: Int, name: String = "") {
        self.id = id
        self.name = name
    }

    mutating func visit() {
        visits += 1
        visits += 0
    }
}

@ObservableState
struct AddressState: Codable, Hashable, Sendable {
    var city = ""
    var street = ""
}

@ObservableState
struct FriendState: Codable, Hashable, Identifiable, Sendable {
    var id: String
    var isOnline = false
}

@ObservableState
enum StatusState: Codable, Hashable, Sendable {
    case away
    case busy(until: Int)
    case meeting(String, room: Int)
    case home(AddressState)
    case list([FriendState])
    indirect case nested(StatusState)
}

@ObservableState
public struct PublicState: Sendable {
    public var text = ""
    public internal(set) var count = 0

    public init() {}
}

@ObservableState
package enum PackageState: Sendable {
    case one(PublicState)
}

@ObservableState
struct GenericState<Value: Sendable, Other: Equatable & Sendable>: Sendable {
    var value: Value
    var other: Other?
    var list: [Value] = []
}

@ObservableState
enum GenericChoice<Value: Sendable>: Sendable {
    case first(Value)
    case second
}

enum Space {
    @ObservableState
    struct Nested: Equatable, Sendable {
        @ObservableState
        enum Inner: Equatable, Sendable {
            case one, two(AddressState)
        }

        var inner = Inner.one
    }
}

/// A property wrapper, which keeps its value where it wants.
@propertyWrapper
struct Clamped: Equatable, Sendable {
    private var value = 0

    init(wrappedValue: Int) {
        self.wrappedValue = wrappedValue
    }

    var wrappedValue: Int {
        get { value }
        set { value = min(max(newValue, 0), 10) }
    }
}

final class Calls: Sendable {
    nonisolated(unsafe) private(set) static var made = 0

    static func next() -> Int {
        made += 1
        return made
    }
}

@ObservableState
struct WrappedState: Equatable, Sendable {
    @Clamped var level = 3
    var changes: [String] = []
    var observed = 0 {
        willSet { changes.append("will \(newValue)") }
        didSet { changes.append("did \(oldValue)") }
    }
    lazy var late = 5
    var number = Calls.next()
    weak var owner: Calls?

    static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.level == rhs.level && lhs.observed == rhs.observed && lhs.number == rhs.number
    }
}

@ObservableState
struct ConditionalState: Equatable, Sendable {
    #if DEBUG || !DEBUG
    var always = 0
    #else
    var never = 0
    #endif
    #if os(Windows)
    var windows = 0
    #elseif canImport(Observation)
    var observation: AddressState = .init()
    #endif
}

@ObservableState
enum ConditionalCases: Equatable, Sendable {
    #if os(Windows)
    case windows(Int)
    #else
    case other(AddressState)
    #endif
    case plain
    #if DEBUG || !DEBUG
    case always(Int)
    #endif
}

@ObservableState
enum OneCase: Equatable, Sendable {
    case only
}

@ObservableState
enum NoCase: Equatable, Sendable {}

@ObservableState
struct EmptyState: Codable, Equatable, Sendable {}

@ObservableState
struct NotComparable: Sendable {
    var action: @Sendable () -> Void = {}
    var count = 0
    let fixed: AddressState
}

@ObservableState
struct OwnKeys: Codable, Equatable, Sendable {
    var name = ""
    var secret = 0

    private enum CodingKeys: String, CodingKey {
        case _name = "n"
    }
}

@ObservableState
struct OwnCoding: Codable, Equatable, Sendable {
    var name = ""

    init(name: String) {
        self.name = name
    }

    init(from decoder: any Decoder) throws {
        name = try decoder.singleValueContainer().decode(String.self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}

@ObservableState
struct EncodedElsewhere: Equatable, Sendable {
    var name = ""
}

extension EncodedElsewhere: Encodable {}
