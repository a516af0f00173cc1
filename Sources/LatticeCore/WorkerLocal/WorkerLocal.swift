/// A part of a domain state that stays in the worker: it is never sent, compared or kept by the coordinator.
///
/// ```swift
/// struct DomainState: Codable, Equatable, Sendable {
///     var files: [String: FileInfo] = [:]
///     @WorkerLocal var index = WordIndex()
/// }
/// ```
///
/// It is for what is large, derived from the rest and cheap to lose: an index, a cache, a parsed document. A new worker
/// starts with `WordIndex()`; ``HostedFeature/started(_:in:)`` is the place to ask for what fills it again. Whoever
/// decodes the state, such as the coordinator, has `WordIndex()` too.
///
/// The interactor reads and changes it as any other property. It is not there for reducers, whose state may come from a
/// worker: reading it in one is reported in every placement, and gives `WordIndex()`. Put into the state what is to be
/// shown.
///
/// An event whose state cannot be sent is taken back, and those around it are applied again. What they wrote here
/// stays: write so that it does no harm to write twice, or for an event that then fails; for instance under a key that
/// is looked up only if the state has it.
///
/// A turn changes it in place. Copies of a state have copies of it, and while there is one a change copies what the
/// value's type copies on write: an effect that keeps the state has one, and in process a view state that contains the
/// domain state. The worker keeps none, with an exception: parts inside the elements of a collection, or the payload of
/// an enum, belong to these. Of a ``Patchable`` state they are kept with them, are copied by a change, and go back with
/// them; of any other they may begin anew where a state goes back. A large part is better a property of the state.
///
/// A conformance to ``Patchable`` that is written by hand leaves the part out.
@propertyWrapper
public struct WorkerLocal<Value: WorkerLocalValue & Sendable>: Sendable {
    @usableFromInline var value: Value

    @inlinable
    public init(wrappedValue: Value) {
        value = wrappedValue
    }

    /// As a new worker has it.
    @inlinable
    public init() {
        value = Value()
    }

    /// The value. Changed in place.
    public var wrappedValue: Value {
        @inlinable get { WorkerLocalAccess.isDenied ? WorkerLocalAccess.substitute() : value }
        @inlinable _modify { yield &value }
    }
}

/// What a part of a state that stays in the worker can be: something that a new worker can start with.
public protocol WorkerLocalValue {
    /// As a new worker has it.
    init()
}

extension Array: WorkerLocalValue {}
extension Dictionary: WorkerLocalValue {}
extension Set: WorkerLocalValue {}
extension String: WorkerLocalValue {}
extension StateDictionary: WorkerLocalValue {}
extension StateList: WorkerLocalValue {}
extension Optional: WorkerLocalValue {
    /// Nil.
    public init() { self = nil }
}

// MARK: Not part of the value of a state

extension WorkerLocal: Hashable {
    /// True: states that differ in nothing else are equal.
    public static func == (one: WorkerLocal, other: WorkerLocal) -> Bool { true }

    public func hash(into hasher: inout Hasher) {}
}

extension WorkerLocal: CustomReflectable, CustomStringConvertible {
    /// Without the value, so that it fills no message about a state.
    public var customMirror: Mirror { Mirror(self, children: []) }

    public var description: String { "WorkerLocal<\(Value.self)>" }
}

// MARK: Not part of the bytes of a state

extension WorkerLocal: Codable {
    /// As a new worker has it. Not called for a property, whose key is not looked up.
    public init(from decoder: any Decoder) {
        self.init()
    }

    /// Nil. Not called for a property, which is left out.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encodeNil()
    }
}

// What synthesized conformances call for each property; these are preferred to the functions for any type.

extension KeyedEncodingContainer {
    /// Writes nothing, not even the key.
    public mutating func encode<Value>(_ part: WorkerLocal<Value>, forKey key: Key) {
        WorkerLocalParts.current?.keep(part.value, at: codingPath, key)
    }
}

extension KeyedDecodingContainer {
    /// As a new worker has it, whether there is such a key or not.
    public func decode<Value>(_ type: WorkerLocal<Value>.Type, forKey key: Key) -> WorkerLocal<Value> {
        WorkerLocalParts.current?.value(at: codingPath, key).map(WorkerLocal.init(wrappedValue:)) ?? WorkerLocal()
    }
}
