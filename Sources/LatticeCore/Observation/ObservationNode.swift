public import Observation
import Synchronization

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
