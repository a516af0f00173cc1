/// A stream of bytes to one other party, in both directions: ordered bytes or a break, never a gap. What a carrier
/// loses or reorders ends the connection with an error; nothing that came after it is delivered.
///
/// Nothing is queued here: `write` gives the bytes away at once or says that there is no room.
package protocol Connection: AnyObject, Sendable {
    /// Whose thread calls the handler.
    var eventLoop: any EventLoop { get }
    /// Who is at the other end.
    var peer: Peer { get }

    /// Begins delivery to `handler`, which is kept until the connection has closed. Once; any thread.
    ///
    /// Started on the event loop's thread, delivery begins with its next tick. On a connection that is closed already
    /// `handler` hears `connectionClosed` and nothing else.
    func start(handler: any ConnectionHandler)

    /// Writes what there is room for, from any thread, without waiting; the caller lets one write follow another.
    ///
    /// - Returns: How many of the bytes were taken, 0 to all. After fewer than all,
    ///   `connectionWritable` is called once, when there is room again.
    /// - Throws: `.closed` after `close`, `.peerClosed` if nobody is left to read. What the other side wrote before
    ///   is still delivered after the latter.
    /// - Complexity: O(*n*), where *n* is the number of bytes that are taken.
    func write(_ bytes: UnsafeRawBufferPointer) throws(TransportError) -> Int

    /// Writes several pieces in a row as if they were one, without putting them together first.
    func write(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) throws(TransportError) -> Int

    /// Closes both directions; bytes that `write` has taken still reach the other side. Any thread, idempotent;
    /// `connectionClosed` with nil follows on the event loop's thread, never from inside this call.
    func close()
}

extension Connection {
    /// As one piece.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(TransportError) -> Int {
        try withUnsafePointer(to: bytes) { bytes throws(TransportError) in
            try write(UnsafeBufferPointer(start: bytes, count: 1))
        }
    }
}

/// What a connection tells. All calls come on the thread of the connection's event loop.
package protocol ConnectionHandler: AnyObject, Sendable {
    /// Bytes arrived, as many as were there; where messages begin and end is not kept. `bytes` is valid during the
    /// call.
    func connection(_ connection: any Connection, received bytes: UnsafeRawBufferPointer)
    /// There is room again after a `write` that took fewer bytes than it was given.
    func connectionWritable(_ connection: any Connection)
    /// The thread is busy with a large value, and for longer than a tick should take nothing was delivered. Called from
    /// the middle of that: it may write, and nothing else.
    func connectionIsHeldUp(_ connection: any Connection)
    /// The last call, exactly once. `error` is nil after `close` and when the other side closed or died.
    func connectionClosed(_ connection: any Connection, error: TransportError?)
}

extension ConnectionHandler {
    package func connectionIsHeldUp(_ connection: any Connection) {}
}

/// How far a connection is with its handler.
enum ConnectionDelivery {
    case notStarted
    case going(any ConnectionHandler, Registration)
    case ended
}

/// Puts something around a connection: faults.
package typealias ConnectionWrapper = @Sendable (any Connection) -> any Connection
