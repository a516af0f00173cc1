/// Who uses an instance, and since when nobody does: what tells whether it is let go of.
struct IdleTracker: Sendable {
    /// What a look at it says.
    enum Look: Equatable, Sendable {
        /// Somebody uses it; who stops calls `end`.
        case inUse
        /// Nobody does, for less than the limit; look again after the rest of it.
        case again(after: Duration)
        /// Nobody has for as long as the limit says.
        case idle
    }

    /// Clients that have it open or wait for it.
    private var users = 0
    /// Whether the coordinator's own program has its view model, which does not say when it is done with that.
    private var isKept = false
    private var isWatched = false
    private var idleSince: ContinuousClock.Instant?

    /// Whether nobody uses it, and the program has not asked for it.
    var isUnused: Bool { users == 0 && !isKept }

    mutating func begin() {
        users += 1
        idleSince = nil
    }

    mutating func keep() {
        isKept = true
        idleSince = nil
    }

    /// A user has left.
    ///
    /// - Returns: Whether to look at it from now on.
    mutating func end(at now: ContinuousClock.Instant) -> Bool {
        users -= 1
        guard users == 0, !isKept else { return false }
        idleSince = now
        defer { isWatched = true }
        return !isWatched
    }

    /// - Parameter isBusy: Whether events of somebody who has left are running. The time begins when a look finds them
    ///   ended.
    mutating func look(at now: ContinuousClock.Instant, isBusy: Bool, limit: Duration) -> Look {
        guard let since = idleSince else {
            isWatched = false
            return .inUse
        }
        if isBusy { idleSince = now }
        let rest = limit - (isBusy ? .zero : since.duration(to: now))
        return rest > .zero ? .again(after: rest) : .idle
    }
}
