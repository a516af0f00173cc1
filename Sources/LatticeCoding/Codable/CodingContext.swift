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

    /// Set around what is coded, on the thread that codes it. It makes the dictionary when somebody asks for it, which
    /// hardly any value does.
    @TaskLocal package static var source: (any CodingContextSource)?

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
