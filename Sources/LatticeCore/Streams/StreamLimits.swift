/// What keeps the state streams of ``AsyncStream/interact(with:initialState:bufferingPolicy:)`` small.
@usableFromInline
enum StreamLimits {
    /// States that wait for a reader. Who is slower than that misses the oldest ones.
    @usableFromInline static let unreadStates = 1_000
    /// Events that may have ended and are still remembered. Looking through them for each action would cost more.
    static let rememberedEvents = 64
}
