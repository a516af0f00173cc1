public import Observation

/// A view state whose properties are observed one by one: whoever has read `name` hears when `name` changes, and not
/// when something else does.
///
/// `@ObservableState` writes the conformance. A state stays a plain value: changing one notifies nobody, so a copy that
/// was taken out of a view model can be changed freely. It is observed where it is shown. When a view model shows
/// another state, the two are compared property by property, and the observers of those that differ hear, whichever
/// way the new state came about: changed in place, made anew, or decoded from what another process sent.
///
/// The macro can be written out by hand:
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
    /// Names the place of this state. A part of another state keeps it when it is replaced there; the whole that a view
    /// model shows has the name of the value that was shown last, unless that was decoded.
    var _$id: ObservableStateID { get }

    /// Gives the state a name of its own; called when a copy is shown beside its original.
    mutating func _$willModify()
}

/// A value with parts that are observed one by one: an observable state, or an optional, an array, … of such.
public protocol _ObservableParts {
    /// Called on the value that is about to be shown instead of `shown`: takes over what is observed there, and notes
    /// what differs.
    /// - Returns: Whether this still is what `shown` was. If not, another case of an enum for instance, whoever holds
    ///   it tells the observers of the property that it is in.
    mutating func _$takePlace(of shown: Self, _ changes: inout _ObservationChanges) -> Bool

    mutating func _$willModify()

    /// Whether the two stand for the same element of a collection.
    func _$isSameElement(as other: Self) -> Bool

    /// What tells this value from the other elements of a collection.
    var _$elementKey: _ObservableElementKey { get }
}

/// What tells one element of a collection from another.
public enum _ObservableElementKey: Hashable, Sendable {
    /// Nothing but its position.
    case position
    /// Where it is shown; an element that was made anew is known by its position.
    case place(ObservableStateID)
    /// The `id` of an `Identifiable` element, whatever its position.
    case id(_ObservableElementID)
}

/// The `id` of an element.
public struct _ObservableElementID: Hashable, @unchecked Sendable {
    // Unchecked: never leaves the comparison that makes it.
    let value: any Hashable

    init(_ value: some Hashable) {
        self.value = KeyIdentity(value)
    }

    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.value.isSame(as: rhs.value)
    }

    public func hash(into hasher: inout Hasher) {
        value.hash(into: &hasher)
    }
}

extension _ObservableParts {
    public mutating func _$willModify() {}

    public func _$isSameElement(as other: Self) -> Bool { true }

    public var _$elementKey: _ObservableElementKey { .position }
}

extension ObservableState {
    /// For a state that does not compare its properties: observers of the whole hear when it is another one.
    public mutating func _$takePlace(of shown: Self, _ changes: inout _ObservationChanges) -> Bool {
        changes.isPlacing || _$isSameValue(self, shown)
    }

    public func _$isSameElement(as other: Self) -> Bool { _$isIdentityEqual(self, other) }

    public var _$elementKey: _ObservableElementKey { _$id.isPlace ? .place(_$id) : .position }
}

extension ObservableState where Self: Identifiable {
    public func _$isSameElement(as other: Self) -> Bool { isSameKey(id, other.id) }

    public var _$elementKey: _ObservableElementKey { .id(_ObservableElementID(id)) }
}
