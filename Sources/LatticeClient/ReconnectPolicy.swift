import LatticeSession

/// How long a client tries to get a lost connection back.
public struct ReconnectPolicy: Sendable, Equatable {
    /// The wait before the first try.
    public var initialDelay: Duration = .milliseconds(50)
    /// By how much the wait grows with each try.
    public var factor: Double = 2
    /// The longest wait.
    public var maximumDelay: Duration = .seconds(2)
    /// How long to try in all. Then running events end `interrupted`, waiting ones `rejected`, and `hostStatus` is
    /// `failed`.
    public var limit: Duration = .seconds(30)

    public init() {}

    /// Do not try at all.
    public static var never: ReconnectPolicy {
        var policy = ReconnectPolicy()
        policy.limit = .zero
        return policy
    }

    func check() throws(SettingsFault) {
        try Settings.check("reconnect.initialDelay", initialDelay)
        try Settings.check("reconnect.maximumDelay", maximumDelay, notBelow: ("reconnect.initialDelay", initialDelay))
        try Settings.check("reconnect.factor", factor: factor)
        try Settings.check("reconnect.limit", limit, from: .zero)
    }

    /// The wait before a try, counted from 0, that begins `elapsed` after the loss; nil: no more tries.
    func delay(_ attempt: Int, elapsed: Duration) -> Duration? {
        guard elapsed < limit else { return nil }
        var delay = initialDelay
        for _ in 0..<attempt where delay < maximumDelay { delay = delay * factor }
        return min(delay, maximumDelay, limit - elapsed)
    }
}
