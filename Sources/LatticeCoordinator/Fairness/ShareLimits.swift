import LatticeSession

/// How the room for events at one instance is shared out among clients.
struct ShareLimits: Sendable, Equatable {
    /// Events of one client that have not ended: of what a worker runs of an instance
    /// (``ChannelLimits/maximumRunning``) a quarter.
    var eventsPerClient = 16_384

    /// The same of all clients together, without those that are guaranteed: three quarters of it. What the guaranteed
    /// ones of 2,048 clients leave of the last quarter is for the program that has the coordinator.
    var events = 49_152

    /// Events that a client may have whatever the others have.
    var guaranteedEvents = 4

    /// Bytes of the actions of all clients that are not acknowledged, without those that are guaranteed: twice the
    /// largest action, so that one client has at most the room of one.
    var bytes = 128 * 1024 * 1024

    /// Bytes that a client may have whatever the others have.
    var guaranteedBytes = 16 * 1024

    /// Events of one client that are on their way to the worker and not acknowledged: what an event of somebody else
    /// may find in front of it. Enough that a worker has the next ones while its answer to the first is on its way.
    var ahead = 128

    /// The same as long as another client sends too. A worker still has the next ones while its answer is on its way,
    /// if these are small; to fill it, each of many clients needs no more. With 6 a round trip beside a client that
    /// floods took 2.4 to 2.7 times as long as without it, with 8 it took 2.8 to 3.0 (`latticectl bench faults`).
    var aheadBesideOthers = 6

    /// A client sends too that has sent one of so many events.
    var newestEvents: UInt64 = 1024

    /// Bytes of the events of all clients that are on their way: as many as a channel takes without asking whether
    /// there is room on the connection, so that nobody is rejected for what others send. A larger event goes alone.
    var aheadBytes = 1024 * 1024

    /// What one client can have at most: as much as is still free then.
    static var maximumPerClient: Int { ShareLimits().events / 2 }
}
