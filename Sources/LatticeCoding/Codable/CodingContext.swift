import Synchronization

/// What values may ask their decoder or encoder for besides what is coded, as `userInfo`.
package enum CodingContext {
    private final class Offer: Sendable {
        let key: CodingUserInfoKey
        private nonisolated(unsafe) weak var value: (any AnyObject & Sendable)?

        init(_ key: CodingUserInfoKey, _ object: any AnyObject & Sendable) {
            self.key = key
            value = object
        }

        // Read only, and weak references may be read anywhere.
        var object: (any AnyObject & Sendable)? { value }
    }

    /// Set around what is coded, on the thread that codes it.
    @TaskLocal package static var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    /// An ``Offer``. One that is replaced is never freed, as somebody may be reading it: there are as many as a process
    /// has made actor systems after the end of another, which are none but in tests.
    private static let offer = Atomic<UInt>(0)

    /// What is under a key where nothing is set around what is coded: actions and states are coded anywhere. Not kept.
    ///
    /// - Parameter replaces: Whether it takes the place of one that is there; else of one that is gone.
    package static func offer(
        _ object: some AnyObject & Sendable,
        under key: CodingUserInfoKey,
        replaces: Bool = false
    ) {
        guard replaces || current(offer.load(ordering: .acquiring))?.object == nil else { return }
        let new = Unmanaged.passRetained(Offer(key, object))
        offer.store(UInt(bitPattern: new.toOpaque()), ordering: .releasing)
    }

    private static func current(_ address: UInt) -> Offer? {
        UnsafeRawPointer(bitPattern: address).map { Unmanaged<Offer>.fromOpaque($0).takeUnretainedValue() }
    }

    /// What a coder's value is told.
    static var current: [CodingUserInfoKey: Any] {
        let userInfo = userInfo
        guard userInfo.isEmpty else { return userInfo }
        guard let offer = current(offer.load(ordering: .acquiring)), let object = offer.object else { return [:] }
        return [offer.key: object]
    }
}
