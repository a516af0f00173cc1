public import LatticeCollections

/// A part of a domain state that stays in the worker. It is never sent to, compared by, or stored in the coordinator.
///
/// ```swift
/// struct DomainState: Codable, Equatable, Sendable {
///     var files: [String: FileInfo] = [:]
///     @WorkerLocal var index = WordIndex()
/// }
/// ```
///
/// Use it for data that is large, derived from the rest of the state, and cheap to lose: an index, a cache, or a parsed
/// document. In a new worker its value is `WordIndex()`. Request its contents again in
/// ``HostedFeature/started(_:in:)``. A process that decodes the state, such as the coordinator, also has `WordIndex()`.
///
/// The interactor reads and changes it like any other property. It is not available to reducers, because their state
/// may come from a worker. Reading it in a reducer is reported in every placement and returns `WordIndex()`. Data that
/// is shown belongs in another property of the state.
///
/// If the state of an event cannot be sent, the event is undone and the events around it are applied again. Their
/// changes of this property are not undone. Write to it in such a way that writing twice is harmless, also for an event
/// that then fails. For example, write under a key that is looked up only if the state contains it.
///
/// A turn changes the value in place. A copy of the state contains a copy of the value, and as long as the copy exists,
/// a change copies whatever the value's type copies on write. An effect that captures the state has such a copy. In
/// process, so does a view state that contains the domain state. The worker itself keeps no copies, with one exception:
/// parts inside the elements of a collection or the payload of an enum belong to these. In a `Patchable` state, such
/// parts are stored with the elements, copied by a change, and restored with them. In any other state, they may be
/// reset when a state is restored. A large part should therefore be a property of the state itself.
///
/// A `Patchable` conformance that you write yourself must omit the property.
@propertyWrapper
public struct WorkerLocal<Value: _WorkerLocalInitial & Sendable>: Sendable {
    @usableFromInline var value: Value

    /// Creates a part with a value.
    @inlinable
    public init(wrappedValue: Value) {
        value = wrappedValue
    }

    /// Creates a part with the value that it has in a new worker.
    @inlinable
    public init() {
        value = Value._workerLocalInitial
    }

    /// The value. It is changed in place.
    public var wrappedValue: Value {
        @inlinable get { WorkerLocalAccess.isDenied ? WorkerLocalAccess.substitute() : value }
        @inlinable _modify { yield &value }
    }
}

/// The type of a `@WorkerLocal` property: a type with an initial value. An optional property starts as nil, whatever
/// its type is.
public protocol WorkerLocalValue: _WorkerLocalInitial {
    /// Creates the value that a new worker starts with.
    init()
}

extension WorkerLocalValue {
    /// The value of `init()`.
    @inlinable
    public static var _workerLocalInitial: Self { Self() }
}

/// An implementation detail of ``WorkerLocal``. Conform to ``WorkerLocalValue`` instead.
public protocol _WorkerLocalInitial {
    /// The value that a new worker starts with.
    static var _workerLocalInitial: Self { get }
}

extension Array: WorkerLocalValue {}
extension Dictionary: WorkerLocalValue {}
extension Set: WorkerLocalValue {}
extension String: WorkerLocalValue {}
extension StateDictionary: WorkerLocalValue {}
extension StateList: WorkerLocalValue {}
extension Optional: _WorkerLocalInitial {
    /// Nil.
    @inlinable
    public static var _workerLocalInitial: Wrapped? { nil }
}

// MARK: Not part of the value of a state

extension WorkerLocal: Hashable {
    /// Returns true, so that states which differ in nothing else are equal.
    public static func == (one: WorkerLocal, other: WorkerLocal) -> Bool { true }

    /// Hashes nothing, because the value is ignored in comparisons.
    public func hash(into hasher: inout Hasher) {}
}

extension WorkerLocal: CustomReflectable, CustomStringConvertible {
    /// A mirror without the value, so that the value does not fill messages about a state.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// The type of the value, such as "WorkerLocal<WordIndex>". The value itself is left out.
    public var description: String { "WorkerLocal<\(Value.self)>" }
}

// MARK: Not part of the bytes of a state

extension WorkerLocal: Codable {
    /// Creates the initial value. This initializer is not called for a property, whose key is not looked up.
    public init(from decoder: any Decoder) {
        self.init()
    }

    /// Encodes nil. This method is not called for a property, which is omitted.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encodeNil()
    }
}

// Synthesized conformances call these methods for each property. They take precedence over the generic methods.

extension KeyedEncodingContainer {
    /// Writes nothing, not even the key.
    public mutating func encode<Value>(_ part: WorkerLocal<Value>, forKey key: Key) {
        WorkerLocalParts.current?.keep(part.value, at: codingPath, key)
    }
}

extension KeyedDecodingContainer {
    /// Returns the initial value, regardless of whether the key exists.
    public func decode<Value>(_ type: WorkerLocal<Value>.Type, forKey key: Key) -> WorkerLocal<Value> {
        WorkerLocalParts.current?.value(at: codingPath, key).map(WorkerLocal.init(wrappedValue:)) ?? WorkerLocal()
    }
}
