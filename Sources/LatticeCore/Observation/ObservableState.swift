import LatticeCollections
public import Observation

/// A view state whose properties are observed one by one. A reader of `name` is notified when `name` changes, and not
/// when another property changes.
///
/// `@ObservableState` generates the conformance. A state is a plain value: changing it notifies no one, so you can
/// freely change a copy that you have taken from a view model. A state is observed where it is shown. When a view model
/// shows another state, it compares the two property by property and notifies the observers of the properties that
/// differ. It makes no difference whether the new state was changed in place, created, or decoded from another process.
///
/// This example implements the conformance without the macro:
///
/// ```swift
/// struct Profile: ObservableState, Equatable, Sendable {
///     var _$observationRegistrar = ObservationStateRegistrar()
///     private var _name = ""
///
///     var name: String {
///         get {
///             _$observationRegistrar.access(self, keyPath: \.name)
///             return _name
///         }
///         set { _name = newValue }
///         _modify { yield &_name }
///     }
///
///     var _$id: ObservableStateID { _$observationRegistrar.id }
///     mutating func _$willModify() { _$observationRegistrar._$willModify() }
///
///     mutating func _$takePlace(of shown: Self, _ changes: inout _ObservationChanges) -> Bool {
///         _$observationRegistrar.takePlace(of: shown._$observationRegistrar, isSame: true, changes)
///         if !changes.settle(&_name, over: shown._name) {
///             changes.note(\.name, of: shown, _$observationRegistrar)
///         }
///         return true
///     }
/// }
/// ```
public protocol ObservableState: Observable, _ObservableParts {
    /// The identity of this state. A part of another state keeps its identity when it is replaced there. The whole
    /// state of a view model has the identity of the value that was shown last, unless a worker sent that value.
    var _$id: ObservableStateID { get }

    /// Gives the state a new identity. It is called when a copy is shown next to its original.
    mutating func _$willModify()
}

/// A value with parts that are observed one by one: an observable state, or a container of observable states such as an
/// optional or an array.
public protocol _ObservableParts {
    /// Takes over the observers of `shown`, and notes the differences. It is called on the value that is about to be
    /// shown instead of `shown`.
    /// - Returns: Whether this value is still the same value as `shown`. If it is not, for example because an enum is
    ///   in another case, the owner notifies the observers of the property that contains it.
    mutating func _$takePlace(of shown: Self, _ changes: inout _ObservationChanges) -> Bool

    /// Gives the value a new identity.
    mutating func _$willModify()

    /// Returns whether the two values represent the same element of a collection.
    func _$isSameElement(as other: Self) -> Bool

    /// The key that distinguishes this value from the other elements of a collection.
    var _$elementKey: _ObservableElementKey { get }
}

/// A key that distinguishes an element of a collection from the others.
public enum _ObservableElementKey: Hashable, Sendable {
    /// The element is identified only by its position.
    case position
    /// The element is identified by the place where it is shown. A newly created element is identified by its position.
    case place(ObservableStateID)
    /// The element is identified by the `id` of an `Identifiable` type, at any position.
    case id(_ObservableElementID)
}

/// The `id` of an element of a collection.
public struct _ObservableElementID: Hashable, @unchecked Sendable {
    // Unchecked because a value never leaves the comparison that creates it.
    let value: any Hashable

    init(_ value: some Hashable) {
        self.value = KeyIdentity(value)
    }

    /// Returns whether two ids are the same key. Strings are compared by their bytes.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.value.isSame(as: rhs.value)
    }

    /// Hashes the id.
    public func hash(into hasher: inout Hasher) {
        value.hash(into: &hasher)
    }
}

extension _ObservableParts {
    /// Does nothing, because the value has no identity.
    public mutating func _$willModify() {}

    /// Returns true, because the elements are identified only by their positions.
    public func _$isSameElement(as other: Self) -> Bool { true }

    /// The key of an element that is identified only by its position.
    public var _$elementKey: _ObservableElementKey { .position }
}

extension ObservableState {
    /// Compares the states as a whole, for a state that does not compare its properties. The observers of the whole are
    /// notified if it changed.
    public mutating func _$takePlace(of shown: Self, _ changes: inout _ObservationChanges) -> Bool {
        changes.isPlacing || _$isSameValue(self, shown)
    }

    /// Returns whether the two states have the same identity.
    public func _$isSameElement(as other: Self) -> Bool { _$isIdentityEqual(self, other) }

    /// The identity of the state, or its position if it has no identity of its own.
    public var _$elementKey: _ObservableElementKey { _$id.isPlace ? .place(_$id) : .position }
}

extension ObservableState where Self: Identifiable {
    /// Returns whether the two states have the same `id`.
    public func _$isSameElement(as other: Self) -> Bool { isSameKey(id, other.id) }

    /// The `id` of the state.
    public var _$elementKey: _ObservableElementKey { .id(_ObservableElementID(id)) }
}
