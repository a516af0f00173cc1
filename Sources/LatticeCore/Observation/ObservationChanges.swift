public import LatticeCollections
public import Observation

/// The changes of which observers must be notified when one state is shown instead of another. A view model creates it,
/// and ``_ObservableParts/_$takePlace(of:_:)`` fills it.
public struct _ObservationChanges {
    private enum Phase {
        case will, did
    }

    /// Whether no state was shown before. Then nothing is compared, and all parts get new observers.
    @usableFromInline let isPlacing: Bool
    /// Whether the whole state counts as the one that is shown, however it was created, for example by decoding.
    private let keepsIdentity: Bool
    /// The nesting depth of the part that is being settled.
    @usableFromInline var depth = 0
    /// Whether a property differs, with or without observers.
    private(set) var hasChanges = false
    private var notices: [(Phase) -> Void] = []

    init(isPlacing: Bool = false, keepsIdentity: Bool = false) {
        self.isPlacing = isPlacing
        self.keepsIdentity = keepsIdentity
    }

    /// Whether the new value takes over the identity of the shown one. A part does, because its observers are found by
    /// that identity. The whole state keeps its own identity.
    var carriesIdentity: Bool { depth > 0 || keepsIdentity }

    /// Notes that a property differs.
    public mutating func note<Subject: Observable, Member>(
        _ keyPath: KeyPath<Subject, Member>,
        of subject: Subject,
        _ registrar: ObservationStateRegistrar
    ) {
        guard !isPlacing else { return }
        hasChanges = true
        guard let observers = registrar.node?.registrar else { return }
        notices.append { phase in
            switch phase {
            case .will: observers.willSet(subject, keyPath: keyPath)
            case .did: observers.didSet(subject, keyPath: keyPath)
            }
        }
    }

    /// Notifies the observers before the change. They still read the previous state.
    func willChange() {
        for notice in notices { notice(.will) }
    }

    /// Notifies the observers after the change.
    func didChange() {
        for notice in notices { notice(.did) }
    }

    /// Gives new observers to a part that is shown where none was shown before.
    public static func place<Part: _ObservableParts>(_ part: inout Part) {
        var changes = Self(isPlacing: true)
        _ = part._$takePlace(of: part, &changes)
    }
}

// The compiler selects one of these functions by the type of each property where a state is declared. It prefers parts
// that are observed themselves, then collections of such parts, then values that can be compared, then everything else.

extension _ObservationChanges {
    /// Settles a property over the shown one: it takes over the observers, and differences are noted.
    /// - Returns: Whether the property is unchanged, apart from noted changes in parts with observers of their own.
    @_disfavoredOverload
    public mutating func settle<T>(_ new: inout T, over shown: T) -> Bool {
        // In a generic type, it is known only at run time whether the property can be compared or has parts.
        if let settled = settleParts(of: &new, over: shown) { return settled }
        return isPlacing || _$isSameValue(new, shown)
    }

    /// Compares a property with the shown one.
    /// - Returns: Whether the property is unchanged.
    @_disfavoredOverload
    @inlinable
    public mutating func settle<T: Equatable>(_ new: inout T, over shown: T) -> Bool {
        isPlacing || _$isSameValue(new, shown)
    }

    /// Settles the parts of a property over those of the shown one.
    /// - Returns: Whether the property is unchanged, apart from noted changes in parts with observers of their own.
    @inlinable
    public mutating func settle<T: _ObservableParts>(_ new: inout T, over shown: T) -> Bool {
        // Values with identical bits have the same observers too, so there is nothing to take over.
        if !isPlacing, _$hasSameBits(new, shown) { return true }
        depth += 1
        defer { depth -= 1 }
        return new._$takePlace(of: shown, &self)
    }

    /// Settles the elements of a collection over those of the shown one.
    /// - Returns: Whether the collection contains the same elements in the same order.
    @_disfavoredOverload
    public mutating func settle<C: MutableCollection>(_ new: inout C, over shown: C) -> Bool
    where C.Element: ObservableState {
        settleElements(of: &new, over: shown)
    }

    /// Settles the elements of a collection over those of the shown one.
    /// - Returns: Whether the collection contains the same elements in the same order.
    @_disfavoredOverload
    public mutating func settle<C: MutableCollection & Equatable>(_ new: inout C, over shown: C) -> Bool
    where C.Element: ObservableState {
        settleElements(of: &new, over: shown)
    }

    /// Settles the parts of a property, or returns nil if `T` has no parts.
    private mutating func settleParts<T>(of new: inout T, over shown: T) -> Bool? {
        guard let type = T.self as? any _ObservableParts.Type else { return nil }
        return settle(&new, over: shown, as: type)
    }

    private mutating func settle<T, Part: _ObservableParts>(
        _ new: inout T,
        over shown: T,
        as type: Part.Type
    ) -> Bool? {
        guard var part = new as? Part, let shownPart = shown as? Part else { return nil }
        let settled = settle(&part, over: shownPart)
        guard let result = part as? T else { return nil }
        new = result
        return settled
    }
}
