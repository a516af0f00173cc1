package import LatticeSession

extension ChannelLimits {
    /// The default limits, but with enough time for the answer about an event whose deadline has passed. A busy machine
    /// can hold the processes of a test for longer than the default.
    package static var patient: ChannelLimits {
        var limits = ChannelLimits()
        limits.deadlineGrace = .seconds(3600)
        return limits
    }
}
