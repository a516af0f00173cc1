/// What keeps a throttle small.
enum ThrottleLimits {
    /// Periods that may be kept although they are over. Looking at each for every call would cost more than they do.
    static let periodsBeforeSweep = 64
}
