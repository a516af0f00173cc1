import CLatticeSystem
package import LatticeTransport

/// Ends this process and the processes that it started when the other end of a socket is closed, even if everything
/// else hangs.
///
/// A separate thread watches the socket. A coordinator that is alive ends its worker itself, with the time that it
/// allows for that. Without a coordinator, the watch kills at once the processes that this process started, which it
/// recognises by the process group and by the variable from the supervisor. The process itself has half a second for an
/// orderly end, and then its whole process group is killed. The watch is written in C (`Watch.c`), does not use the
/// heap, and begins before `main` in a program that was started as a worker.
package enum HangUpWatch {
    /// Starts to watch a socket, through a descriptor of the watch's own. It has no effect if the watch runs already.
    package static func start(on socket: OwnedDescriptor) throws(TransportError) {
        let error = lattice_watch(socket.number)
        guard error == 0 else { throw .system("watch the coordinator's socket", error) }
    }
}
