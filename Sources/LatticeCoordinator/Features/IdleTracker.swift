/// The users of an instance, and the time since it has had none. Decides when an idle instance is closed.
struct IdleTracker: Sendable {
    /// The result of a check.
    enum Result: Equatable, Sendable {
        /// The instance has users. The last one to leave calls `end`.
        case inUse
        /// The instance has no users, for less than the timeout. Check it again after the rest of it.
        case again(after: Duration)
        /// The instance has had no users for the whole timeout.
        case idle
    }

    /// The number of clients that have the instance open or wait for it.
    private var users = 0
    /// A Boolean value that indicates whether the coordinator's own program has the view model. The program does not
    /// say when it no longer needs it.
    private var isKept = false
    /// A Boolean value that indicates whether a check is scheduled.
    private var isWatched = false
    private var idleSince: ContinuousClock.Instant?

    /// A Boolean value that indicates whether the instance has no users and the program has not asked for it.
    var isUnused: Bool { users == 0 && !isKept }

    mutating func begin() {
        users += 1
        idleSince = nil
    }

    mutating func keep() {
        isKept = true
        idleSince = nil
    }

    /// Removes a user.
    ///
    /// - Returns: A Boolean value that indicates whether the caller is to schedule checks from now on.
    mutating func end(at now: ContinuousClock.Instant) -> Bool {
        users -= 1
        guard users == 0, !isKept else { return false }
        idleSince = now
        defer { isWatched = true }
        return !isWatched
    }

    /// Returns whether the instance is idle.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - isBusy: Whether events of users that have left are still running. The idle time begins at the first check
    ///     that finds them ended.
    ///   - timeout: The time for which the instance may be idle.
    mutating func check(at now: ContinuousClock.Instant, isBusy: Bool, timeout: Duration) -> Result {
        guard let since = idleSince else {
            isWatched = false
            return .inUse
        }
        if isBusy { idleSince = now }
        let rest = timeout - (isBusy ? .zero : since.duration(to: now))
        return rest > .zero ? .again(after: rest) : .idle
    }
}
