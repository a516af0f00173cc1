import LatticeSession

/// The limits that divide the room for events at one instance among its clients.
struct ShareLimits: Sendable, Equatable {
    /// The maximum number of open events of one client. This is a quarter of ``ChannelLimits/maximumRunning``, the
    /// maximum number of events that a worker runs for an instance.
    var maximumEventsPerClient = 16_384

    /// The maximum number of open events of all clients together, not counting the guaranteed ones. This is three
    /// quarters of ``ChannelLimits/maximumRunning``. The guaranteed events of 2,048 clients use a part of the last
    /// quarter. The rest is for the program that contains the coordinator.
    var maximumEvents = 49_152

    /// The number of open events that each client may have, whatever other clients have.
    var guaranteedEvents = 4

    /// The maximum number of bytes of unacknowledged actions of all clients together, not counting the guaranteed ones.
    /// This is twice the size of the largest action, so one client can use at most the room of one such action.
    var maximumBytes = 128 * 1024 * 1024

    /// The number of bytes that each client may use, whatever other clients use.
    var guaranteedBytes = 16 * 1024

    /// The maximum number of events of one client that are in flight: sent to the worker and not acknowledged. An event
    /// of another client finds at most this many events in front of it. The number is large enough that the worker has
    /// further events to run while its first answer is on the way.
    var maximumInFlight = 128

    /// The same maximum while another client sends too. If the events are small, the worker still has further events to
    /// run while its answer is on the way. With many clients each of them needs no more to keep the worker busy.
    ///
    /// A round trip beside a client that floods took 2.4 to 2.7 times as long as without that client when this was 6,
    /// and 2.8 to 3.0 times as long when it was 8 (`lattice-bench faults`).
    var maximumInFlightUnderContention = 6

    /// The number of most recent events that are examined to decide whether another client is sending too.
    var contentionWindow: UInt64 = 1024

    /// The maximum number of bytes of the events in flight of all clients together. A channel accepts this many bytes
    /// without checking for room on the connection, so no client is rejected because of what others send. A larger
    /// event is sent alone.
    var maximumInFlightBytes = 1024 * 1024

    /// The largest effective value of `maximumEventsPerClient`. A client gets no more events than are left for others.
    /// It therefore has at most half of `maximumEvents`.
    static var maximumPerClient: Int { ShareLimits().maximumEvents / 2 }
}
