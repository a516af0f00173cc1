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
