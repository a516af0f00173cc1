import CLatticeThreads
import Synchronization

/// What values may ask their decoder or encoder for besides what is coded, as `userInfo`.
package enum CodingContext {
    private final class Offer: Sendable {
        private nonisolated(unsafe) weak var value: (any CodingContextSource)?

        init(_ source: any CodingContextSource) {
            value = source
        }

        // Read only, and weak references may be read anywhere.
        var source: (any CodingContextSource)? { value }
    }

    /// Codes something whose parts ask this source. It makes the dictionary when somebody asks for it, which hardly any
    /// value does.
    ///
    /// The thread's and no task's, as nothing that codes awaits: a value of the task cost each call of an actor 60 ns
    /// more, measured with `latticectl bench actors`.
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

    /// An ``Offer``. One that is replaced is never freed, as somebody may be reading it: there are as many as a process
    /// has made actor systems after the end of another, which are none but in tests.
    private static let offer = Atomic<UInt>(0)

    /// Whom values ask where nobody is set around what is coded: actions and states are coded anywhere. Not kept.
    ///
    /// - Parameter replaces: Whether it takes the place of one that is there; else of one that is gone.
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

    /// What a coder's value is told.
    static var userInfo: [CodingUserInfoKey: Any] {
        guard let source = source ?? offered else { return [:] }
        return source.userInfo
    }
}

/// Who knows what values ask for.
package protocol CodingContextSource: AnyObject, Sendable {
    var userInfo: [CodingUserInfoKey: any Sendable] { get }
}
