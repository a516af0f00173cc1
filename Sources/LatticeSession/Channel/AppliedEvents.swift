import DequeModule
import LatticeConcurrency

/// The newest events that the peer of a channel has applied, with their causes. An opener records them only while a
/// reader wants to know which events a state contains.
package struct AppliedEvents: Sendable {
    /// An event that a state contains.
    package struct Event: Sendable, Equatable {
        /// The number of the event on the channel.
        package let number: UInt64
        /// The name of the event, or nil for an event of the opener itself.
        package let name: EventName?
        /// The cause of the event, or nil if its sender sent it outside of other events.
        package let cause: EventMetadata.Cause?
    }

    /// The maximum number of events that are recorded. More between two states that a reader sees are only a number to
    /// a person.
    static let maximumCount = 256

    /// The events, oldest first.
    private var events: Deque<Event> = []

    /// Records events that came after the recorded ones, oldest first.
    mutating func add(_ later: some Sequence<Event>) {
        for event in later {
            if events.count == Self.maximumCount { events.removeFirst() }
            events.append(event)
        }
    }

    /// Returns the recorded events in a range of numbers, oldest first.
    func events(after first: UInt64, through last: UInt64) -> [Event] {
        events.filter { $0.number > first && $0.number <= last }
    }
}

/// A reader of the events that a channel records. The channel records them while there is one.
package final class AppliedEventReader: Sendable {
    private let channel: ChannelClient
    /// The event through which all events were acknowledged before the recording began.
    private let start: UInt64

    init(of channel: ChannelClient) {
        self.channel = channel
        start = channel.changeReaders(by: 1)
    }

    deinit { _ = channel.changeReaders(by: -1) }

    /// Returns the recorded events in a range of numbers, oldest first. Nil if the range begins before the recording.
    /// You can call it on any thread.
    package func events(after first: UInt64, through last: UInt64) -> [AppliedEvents.Event]? {
        guard first >= start else { return nil }
        return channel.core.withLock { $0.state.applied?.events(after: first, through: last) }
    }
}

extension ChannelClient {
    /// Records the events that the peer applies from now on, for as long as the reader is used. You can call it on any
    /// thread.
    package func recordAppliedEvents() -> AppliedEventReader { AppliedEventReader(of: self) }

    /// A Boolean value that indicates whether the events that the peer applies are recorded. You can read it on any
    /// thread.
    package var recordsAppliedEvents: Bool { core.withLock { $0.state.applied != nil } }

    /// - Returns: The event through which all events are acknowledged.
    fileprivate func changeReaders(by change: Int) -> UInt64 {
        core.withLock { core in
            core.readers += change
            if core.readers == 0 {
                core.state.applied = nil
            } else if core.state.applied == nil {
                core.state.applied = AppliedEvents()
            }
            return core.state.acknowledged
        }
    }
}
