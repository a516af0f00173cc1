import CLatticeThreads
import Synchronization

/// The `userInfo` that values can request from their decoder or encoder in addition to the coded data.
package enum CodingContext {
    private final class Offer: Sendable {
        private nonisolated(unsafe) weak var value: (any CodingContextSource)?

        init(_ source: any CodingContextSource) {
            value = source
        }

        // The reference is only read, and weak references may be read on any thread.
        var source: (any CodingContextSource)? { value }
    }

    /// Runs a coding whose values use this source. The source makes the dictionary when a value requests it, which is
    /// rare.
    ///
    /// The source belongs to the thread and not to a task, because a coding never suspends. A task-local value cost 60
    /// ns more for each call of an actor, measured with `lattice-bench actors`.
    package static func around<Result>(
        _ source: any CodingContextSource,
        _ body: () throws -> Result
    ) rethrows -> Result {
        try withUnsafePointer(to: source) { pointer in
            let outer = lattice_set_coding_source(pointer)
            defer { _ = lattice_set_coding_source(outer) }
            return try body()
        }
    }

    private static var source: (any CodingContextSource)? {
        lattice_coding_source()?.assumingMemoryBound(to: (any CodingContextSource).self).pointee
    }

    /// A pointer to an ``Offer``. A replaced offer is never freed, because another thread may be reading it. Their
    /// number is that of the actor systems that a process creates after the end of another one. Only tests do that.
    private static let offer = Atomic<UInt>(0)

    /// Sets the source that values use outside of `around`, because actions and states are coded everywhere. The source
    /// is not retained.
    ///
    /// - Parameters:
    ///   - source: The source.
    ///   - replaces: Whether the source replaces one that still exists. Otherwise it only replaces one that was
    ///     released.
    package static func offer(_ source: any CodingContextSource, replaces: Bool = false) {
        guard replaces || offered == nil else { return }
        let new = Unmanaged.passRetained(Offer(source))
        offer.store(UInt(bitPattern: new.toOpaque()), ordering: .releasing)
    }

    private static var offered: (any CodingContextSource)? {
        UnsafeRawPointer(bitPattern: offer.load(ordering: .acquiring)).flatMap { pointer in
            Unmanaged<Offer>.fromOpaque(pointer).takeUnretainedValue().source
        }
    }

    /// The `userInfo` of a coder.
    static var userInfo: [CodingUserInfoKey: Any] {
        guard let source = source ?? offered else { return [:] }
        return source.userInfo
    }
}

/// A source of the `userInfo` that values can request.
package protocol CodingContextSource: AnyObject, Sendable {
    /// The dictionary for the values.
    var userInfo: [CodingUserInfoKey: any Sendable] { get }
}
