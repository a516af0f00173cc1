public import Observation

/// What observers have to hear of when one state is shown instead of another. Made by a view model, handed through
/// ``_ObservableParts/_$takePlace(of:_:)``.
public struct _ObservationChanges {
    private enum Phase {
        case will, did
    }

    /// Whether the state is shown where none was: then nothing is compared, and all of it gets observers of its own.
    @usableFromInline let isPlacing: Bool
    /// Whether the whole is the state that is shown however it was made, as one that was decoded.
    private let keepsIdentity: Bool
    /// How deep in the whole the part is whose place is being taken.
    @usableFromInline var depth = 0
    /// Whether a property differs, observed or not.
    private(set) var hasChanges = false
    private var notices: [(Phase) -> Void] = []

    init(isPlacing: Bool = false, keepsIdentity: Bool = false) {
        self.isPlacing = isPlacing
        self.keepsIdentity = keepsIdentity
    }

    /// Whether what is shown keeps its name where another one takes its place. A part does: that is how its observers
    /// are found again. The whole is named by whoever made it.
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

    /// Tells observers, who still see what was shown before.
    func willChange() {
        for notice in notices { notice(.will) }
    }

    func didChange() {
        for notice in notices { notice(.did) }
    }

    /// Gives a part that is shown where none was observers of its own.
    public static func place<Part: _ObservableParts>(_ part: inout Part) {
        var changes = Self(isPlacing: true)
        _ = part._$takePlace(of: part, &changes)
    }
}

// Which of these is called is decided where a state is declared, by the type of each property. The order of preference
// is: parts that are observed by themselves, collections of such, what can be compared, everything else.

extension _ObservationChanges {
    /// Puts a property in the place of the one that is shown.
    /// - Returns: Whether it is as it was, apart from parts that have observers of their own and have been noted.
    @_disfavoredOverload
    public mutating func settle<T>(_ new: inout T, over shown: T) -> Bool {
        // Inside a generic type, a type that could be compared, or has parts, is known only now.
        if let settled = settleParts(of: &new, over: shown) { return settled }
        return isPlacing || _$isSameValue(new, shown)
    }

    @_disfavoredOverload
    @inlinable
    public mutating func settle<T: Equatable>(_ new: inout T, over shown: T) -> Bool {
        isPlacing || _$isSameValue(new, shown)
    }

    @inlinable
    public mutating func settle<T: _ObservableParts>(_ new: inout T, over shown: T) -> Bool {
        // Equal to the last bit: observers included, so there is nothing to take over either.
        if !isPlacing, _$hasSameBits(new, shown) { return true }
        depth += 1
        defer { depth -= 1 }
        return new._$takePlace(of: shown, &self)
    }

    @_disfavoredOverload
    public mutating func settle<C: MutableCollection>(_ new: inout C, over shown: C) -> Bool
    where C.Element: ObservableState {
        settleElements(of: &new, over: shown)
    }

    @_disfavoredOverload
    public mutating func settle<C: MutableCollection & Equatable>(_ new: inout C, over shown: C) -> Bool
    where C.Element: ObservableState {
        settleElements(of: &new, over: shown)
    }

    /// Nil if `T` has no parts.
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
