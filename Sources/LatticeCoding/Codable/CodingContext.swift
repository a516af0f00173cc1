import Synchronization

/// What values may ask their decoder or encoder for besides what is coded, as `userInfo`.
package enum CodingContext {
    private struct Common {
        var key: CodingUserInfoKey?
        weak var object: (any AnyObject & Sendable)?
    }

    /// Set around what is coded, on the thread that codes it.
    @TaskLocal package static var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    private static let common = Mutex(Common())

    /// What is under a key where nothing is set around what is coded: actions and states are coded anywhere. Not kept.
    package static func offer(_ object: some AnyObject & Sendable, under key: CodingUserInfoKey) {
        common.withLock { $0 = Common(key: key, object: object) }
    }

    /// What a coder's value is told.
    static var current: [CodingUserInfoKey: Any] {
        let userInfo = userInfo
        guard userInfo.isEmpty else { return userInfo }
        let (key, object) = common.withLock { ($0.key, $0.object) }
        guard let key, let object else { return [:] }
        return [key: object]
    }
}
