import CLatticeSystem

/// Ends this process, and what it started, when the other end of a socket is closed, even if everything else hangs.
///
/// A thread of its own watches. A coordinator that lives ends its worker itself, with the time that it gives for that.
/// Without it, what this process started, recognised by its process group and by the variable that its
/// supervisor gave it, is killed at once; the process itself is given half a second for an orderly end, then its whole
/// process group goes. All of it is C (`Watch.c`), without the heap, and begins before `main` in a program that was
/// started as a worker.
package enum HangUpWatch {
    /// - Parameter socket: Watched through a descriptor of the watch's own. Not watched if the watch runs already.
    package static func start(on socket: OwnedDescriptor) throws(TransportError) {
        let error = lattice_watch(socket.number)
        guard error == 0 else { throw .system("watch the coordinator's socket", error) }
    }
}
