import LatticeCore

/// The sizes and numbers of one instance at one moment, for people.
struct InstanceFigures: Sendable {
    /// What clients see.
    struct View: Sendable {
        /// The revision of the view state, or 0 before the first one.
        let revision: UInt64
        /// The size of the encoded view state in bytes, or an upper bound. Nil if it was never encoded.
        let bytes: Int?
        /// The number of channels of clients on which the view state is published.
        let subscribers: Int
        /// The largest number of view states by which one of these channels is behind.
        let lag: UInt64
        /// The number of view states, if the feature has one for each viewer. Otherwise nil.
        let viewers: Int?

        init(revision: UInt64, bytes: Int?, subscribers: Int, lag: UInt64) {
            self.revision = revision
            self.bytes = bytes
            self.subscribers = subscribers
            self.lag = lag
            viewers = nil
        }

        /// Sums up the view states of viewers. The revision and the lag are the highest ones.
        init(sumOf views: [View]) {
            revision = views.map(\.revision).max() ?? 0
            bytes = views.isEmpty ? nil : views.reduce(0) { $0 + ($1.bytes ?? 0) }
            subscribers = views.reduce(0) { $0 + $1.subscribers }
            lag = views.map(\.lag).max() ?? 0
            viewers = views.count
        }
    }

    /// The events that have not ended.
    struct Events: Sendable {
        /// The number of events of clients that wait for their turn to be sent to the worker.
        let waiting: Int
        /// The number of other events, of clients and of the program.
        let running: Int
    }

    let member: RuntimeEvent.Member
    let status: HostStatus
    /// The revision of the domain state that the worker sent last.
    let revision: UInt64
    /// The size of the encoded domain state in bytes, with its last changes. Nil if it is not known at the moment.
    let stateBytes: Int?
    /// The number of events that the worker has applied, of clients and of the program, whose states have arrived.
    let acknowledged: UInt64
    let view: View
    let events: Events
}
