/// Connections inside one process, for tests and for features hosted beside their coordinator.
package enum MemoryConnection {
    /// Two ends of one connection that behave like the ends of a socket pair.
    ///
    /// - Parameters:
    ///   - eventLoop: of the first end, and of the second if `other` is nil.
    ///   - capacity: bytes that each direction holds before `write` takes no more; at least 1.
    package static func pair(
        eventLoop: any EventLoop,
        other: (any EventLoop)? = nil,
        capacity: Int = 256 * 1024
    ) -> (any Connection, any Connection) {
        let (there, back) = (MemoryChannel(capacity: capacity), MemoryChannel(capacity: capacity))
        let first = MemoryEnd(eventLoop: eventLoop, incoming: back, outgoing: there)
        let second = MemoryEnd(eventLoop: other ?? eventLoop, incoming: there, outgoing: back)
        (there.writer, there.reader) = (first, second)
        (back.writer, back.reader) = (second, first)
        return (first, second)
    }
}
