import LatticeConcurrency

/// The running events, for a description of the process. You can use these properties on any thread.
extension ChannelServer {
    /// The number of events that were accepted and have not ended.
    package var runningCount: Int { core.withLock(\.running.count) }

    /// The events that were accepted and have not ended, by their numbers, in no order.
    package var runningEvents: [(number: UInt64, event: any RunningEvent)] {
        core.withLock { core in core.running.map { (number: $0.key, event: $0.value) } }
    }
}
