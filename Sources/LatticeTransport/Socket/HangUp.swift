import CLatticeSystem

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Waiting, on a thread of one's own, for the other end of a socket to close.
package enum HangUp {
    /// Blocks until the other end is closed. What it wrote before may still wait to be read: nothing is read here.
    ///
    /// - Parameter descriptor: Has to stay open meanwhile; a closed one counts as hung up.
    package static func wait(on descriptor: Int32) {
        #if os(Linux)
        let events = lattice_poll_hang_up
        #else
        // Without an event for it, the close shows as readability that does not pass; POLLHUP is always reported.
        let events: Int16 = 0
        #endif
        while true {
            var waiting = pollfd(fd: descriptor, events: events, revents: 0)
            let count = poll(&waiting, 1, -1)
            if count < 0, errno == EINTR { continue }
            let ended = events | Int16(POLLHUP) | Int16(POLLERR) | Int16(POLLNVAL)
            if count < 0 || waiting.revents & ended != 0 { return }
        }
    }
}
