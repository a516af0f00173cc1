public import Observation
import Synchronization

/// What an observable state knows of its observers. Kept by the state, made by `@ObservableState`.
///
/// An identity and a reference, which is nil until a view model shows the state: making, changing and copying a state
/// that is not shown costs what it would without. It takes no part in `==`, `hash` and coding.
public struct ObservationStateRegistrar: Sendable {
    public private(set) var id = ObservableStateID()
    /// What is observed of the state where it is shown. Copies read through it as well, so that a view which was given
    /// a copy hears; but only ``takePlace(of:isSame:_:)`` notifies through it.
    @usableFromInline private(set) var node: ObservationNode?

    public init() {}

    /// Notes that a property was read.
    @inlinable
    public func access<Subject: Observable, Member>(
        _ subject: Subject,
        keyPath: @autoclosure () -> KeyPath<Subject, Member>
    ) {
        // The key path of a generic type is costly to make, and of no use to a state that is not shown.
        if let node { node.access(subject, keyPath: keyPath()) }
    }

    /// Gives the state a name of its own.
    public mutating func _$willModify() {
        id._$willModify()
    }

    /// Called for the state that is shown instead of another, before its properties are compared.
    /// - Parameter isSame: whether what is not observed by itself, such as a `let`, is as it was.
    public mutating func takePlace(of shown: Self, isSame: Bool, _ changes: _ObservationChanges) {
        guard !changes.isPlacing, let shownNode = shown.node else {
            // Not the node that it may have brought along from elsewhere, where it is observed still.
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
    public static func == (lhs: Self, rhs: Self) -> Bool { true }

    public func hash(into hasher: inout Hasher) {}
}

extension ObservationStateRegistrar: Codable {
    public init(from decoder: any Decoder) throws {}

    public func encode(to encoder: any Encoder) throws {}
}

// What a state that synthesizes its coding calls: nothing is stored, not even an empty value, and nothing is missed.

extension KeyedEncodingContainer {
    public mutating func encode(_ value: ObservationStateRegistrar, forKey key: Key) throws {}
}

extension KeyedDecodingContainer {
    public func decode(_ type: ObservationStateRegistrar.Type, forKey key: Key) throws -> ObservationStateRegistrar {
        ObservationStateRegistrar()
    }
}

/// The observers of one state in one place. Shared by all copies of what was shown there.
@usableFromInline
final class ObservationNode: Sendable {
    /// Made when a property is read for the first time: most states in a long list never are.
    private let lazyObservers = AtomicLazyReference<Observers>()

    private final class Observers: Sendable {
        let registrar = ObservationRegistrar()
    }

    /// Nil if nobody has read anything yet.
    var registrar: ObservationRegistrar? {
        lazyObservers.load()?.registrar
    }

    @usableFromInline
    func access<Subject: Observable, Member>(_ subject: Subject, keyPath: KeyPath<Subject, Member>) {
        let observers = lazyObservers.load() ?? lazyObservers.storeIfNil(Observers())
        observers.registrar.access(subject, keyPath: keyPath)
    }
}
