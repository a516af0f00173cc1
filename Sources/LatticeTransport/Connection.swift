/// A stream of bytes to one peer in both directions: ordered bytes or a break, never a gap. If a carrier loses or
/// reorders bytes, the connection ends with an error and nothing after that point is delivered.
///
/// A connection has no queue. `write` passes bytes on at once, or reports that the connection is full.
package protocol Connection: AnyObject, Sendable {
    /// The event loop on whose thread the handler is called.
    var eventLoop: any EventLoop { get }
    /// The process at the other end.
    var peer: Peer { get }

    /// Begins to deliver to `handler`, which is retained until the connection has closed. Call it once, on any thread.
    ///
    /// If it is called on the event loop's thread, delivery begins with the next tick. On a connection that is closed
    /// already, `handler` receives `connectionClosed` and nothing else.
    func start(handler: any ConnectionHandler)

    /// Writes as many bytes as there is room for, without waiting. It can be called on any thread, but the caller has
    /// to order its writes.
    ///
    /// - Returns: The number of bytes that were accepted, from 0 to all. If it was not all, `connectionWritable` is
    ///   called once, when there is room again.
    /// - Throws: `.closed` after `close`, and `.peerClosed` if the other side does not read any more. Bytes that the
    ///   other side wrote before are still delivered after the latter.
    /// - Complexity: O(*n*), where *n* is the number of accepted bytes.
    func write(_ bytes: UnsafeRawBufferPointer) throws(TransportError) -> Int

    /// Writes several consecutive pieces as if they were one, without copying them together first.
    func write(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) throws(TransportError) -> Int

    /// Closes both directions. Bytes that `write` has accepted still reach the other side. It can be called on any
    /// thread and more than once. `connectionClosed` with nil follows on the event loop's thread, never from inside
    /// this call.
    func close()
}

extension Connection {
    /// Writes the bytes as one piece.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(TransportError) -> Int {
        try withUnsafePointer(to: bytes) { bytes throws(TransportError) in
            try write(UnsafeBufferPointer(start: bytes, count: 1))
        }
    }
}

/// The receiver of a connection's events. All calls come on the thread of the connection's event loop.
package protocol ConnectionHandler: AnyObject, Sendable {
    /// Delivers the bytes that have arrived. The boundaries of messages are not preserved. `bytes` is valid during the
    /// call.
    func connection(_ connection: any Connection, received bytes: UnsafeRawBufferPointer)
    /// Reports that the connection has room again, after a `write` that accepted fewer bytes than it was given.
    func connectionWritable(_ connection: any Connection)
    /// Reports that the thread is busy with a large value, and has delivered nothing for longer than a tick should
    /// take. It is called from inside that work. The handler may write, and must do nothing else.
    func connectionIsHeldUp(_ connection: any Connection)
    /// Reports the end of the connection. It is the last call and comes exactly once. `error` is nil after `close`, and
    /// when the other side closed or died.
    func connectionClosed(_ connection: any Connection, error: TransportError?)
}

extension ConnectionHandler {
    package func connectionIsHeldUp(_ connection: any Connection) {}
}

/// The phase of delivery from a connection to its handler.
enum ConnectionDelivery {
    case notStarted
    case going(any ConnectionHandler, Registration)
    case ended
}

/// A function that wraps a connection, for example to inject faults.
package typealias ConnectionWrapper = @Sendable (any Connection) -> any Connection
