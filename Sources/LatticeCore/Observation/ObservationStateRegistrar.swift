public import Observation
import Synchronization

/// The observers of an observable state. The state stores the registrar, and `@ObservableState` creates it.
///
/// The registrar consists of an identity and of a reference that is nil until a view model shows the state. A state
/// that is not shown is therefore as cheap to create, change and copy as without a registrar. The registrar is ignored
/// by `==`, hashing and coding.
public struct ObservationStateRegistrar: Sendable {
    /// The identity of the state.
    public private(set) var id = ObservableStateID()
    /// The observers of the state where it is shown. Copies register their readers here too, so that a view which
    /// received a copy is notified. Only ``takePlace(of:isSame:_:)`` leads to notifications.
    @usableFromInline private(set) var node: ObservationNode?

    /// Creates a registrar with a new identity.
    public init() {}

    /// Records that a property was read.
    @inlinable
    public func access<Subject: Observable, Member>(
        _ subject: Subject,
        keyPath: @autoclosure () -> KeyPath<Subject, Member>
    ) {
        // The key path of a generic type is expensive to create, and not needed for a state that is not shown.
        if let node { node.access(subject, keyPath: keyPath()) }
    }

    /// Gives the state a new identity.
    public mutating func _$willModify() {
        id._$willModify()
    }

    /// Takes over the observers of `shown`. It is called for the state that is shown instead, before its properties are
    /// compared.
    /// - Parameters:
    ///   - shown: The registrar of the state that was shown until now.
    ///   - isSame: Whether everything without observers of its own, such as a `let`, is unchanged.
    ///   - changes: The changes that are collected for the observers.
    public mutating func takePlace(of shown: Self, isSame: Bool, _ changes: _ObservationChanges) {
        guard !changes.isPlacing, let shownNode = shown.node else {
            // The state may carry the node of another place, where it is still observed. It must not use that node.
            node = ObservationNode()
            return
        }
        node = shownNode
        if isSame {
            if changes.carriesIdentity { id = shown.id }
        } else if id == shown.id {
            id = ObservableStateID()
        }
    }
}

extension ObservationStateRegistrar: Hashable {
    /// Returns true, so that observers do not make equal states different.
    public static func == (lhs: Self, rhs: Self) -> Bool { true }

    /// Hashes nothing, because all registrars are equal.
    public func hash(into hasher: inout Hasher) {}
}

extension ObservationStateRegistrar: Codable {
    /// Creates a new registrar without reading anything.
    public init(from decoder: any Decoder) throws {}

    /// Encodes nothing.
    public func encode(to encoder: any Encoder) throws {}
}

// Synthesized coding of a state calls these methods. They write nothing, not even an empty value, and require nothing.

extension KeyedEncodingContainer {
    /// Encodes nothing.
    public mutating func encode(_ value: ObservationStateRegistrar, forKey key: Key) throws {}
}

extension KeyedDecodingContainer {
    /// Returns a new registrar without reading anything.
    public func decode(_ type: ObservationStateRegistrar.Type, forKey key: Key) throws -> ObservationStateRegistrar {
        ObservationStateRegistrar()
    }
}

/// The observers of one state in one place. All copies of the state that is shown there share the node.
@usableFromInline
final class ObservationNode: Sendable {
    /// The observers, which are created when a property is read for the first time. Most states in a long list never
    /// need them.
    private let lazyObservers = AtomicLazyReference<Observers>()

    private final class Observers: Sendable {
        let registrar = ObservationRegistrar()
    }

    /// The registrar, or nil if no property has been read yet.
    var registrar: ObservationRegistrar? {
        lazyObservers.load()?.registrar
    }

    @usableFromInline
    func access<Subject: Observable, Member>(_ subject: Subject, keyPath: KeyPath<Subject, Member>) {
        let observers = lazyObservers.load() ?? lazyObservers.storeIfNil(Observers())
        observers.registrar.access(subject, keyPath: keyPath)
    }
}
