public import Observation

/// What observers have to hear of when one state is shown instead of another. Made by a view model, handed through
/// ``_ObservableParts/_$takePlace(of:_:)``.
public struct _ObservationChanges {
    private enum Phase {
        case will, did
    }

    /// Whether the state is shown where none was: then nothing is compared, and all of it gets observers of its own.
    @usableFromInline let isPlacing: Bool
    /// Whether a property differs, observed or not.
    private(set) var hasChanges = false
    private var notices: [(Phase) -> Void] = []

    init(isPlacing: Bool = false) {
        self.isPlacing = isPlacing
    }

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
