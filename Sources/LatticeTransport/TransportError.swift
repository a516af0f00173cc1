import CLatticeSystem

/// Why a connection, a listener or a reactor could not do what it was asked to.
///
/// `message` is a whole sentence for people that says what to do; programs decide by `code`.
package struct TransportError: Error, Sendable, Equatable, CustomStringConvertible {
    package let code: Code
    package let message: String
    /// The system's error number behind it, where there is one.
    package let errno: Int32?

    package init(code: Code, message: String, errno: Int32? = nil) {
        self.code = code
        self.message = message
        self.errno = errno
    }

    package var description: String { message }

    /// Whether the machine, or a limit of this process, had no room for a descriptor, a process or memory: the same
    /// may work later.
    package var isLackOfResources: Bool { errno.map(System.saysNoRoom) ?? false }

    /// What kind of failure it is. More may come, so there is no exhaustive list to switch over.
    package struct Code: Sendable, Hashable, CustomStringConvertible {
        package let description: String

        /// This side closed the connection before.
        package static let closed = Code(description: "closed")
        /// The other side is gone: what is written now, nobody reads.
        package static let peerClosed = Code(description: "peerClosed")
        /// The text cannot be the path of a socket: empty, too long, or with a zero byte.
        package static let invalidPath = Code(description: "invalidPath")
        /// Somebody else could put a socket of their own at the path, or something that is no socket lies there.
        package static let unsafePath = Code(description: "unsafePath")
        /// Another process serves at the path.
        package static let addressInUse = Code(description: "addressInUse")
        /// Nothing is at the path.
        package static let notFound = Code(description: "notFound")
        /// A socket file is at the path and no process behind it.
        package static let refused = Code(description: "refused")
        /// The process behind the path takes no connection at the moment.
        package static let busy = Code(description: "busy")
        /// The process at the other end belongs to another user.
        package static let wrongUser = Code(description: "wrongUser")
        /// A descriptor that is no stream socket.
        package static let invalidDescriptor = Code(description: "invalidDescriptor")
        /// The system refused a call; `errno` says why.
        package static let system = Code(description: "system")
    }
}

// Every error of this target is made here, so that its sentences agree with one another; what is wrong with the text of
// a path is said where that is checked.

extension TransportError {
    static var closed: TransportError {
        TransportError(code: .closed, message: "The connection is closed. Open a new one.")
    }

    static func peerClosed(_ errno: Int32? = nil) -> TransportError {
        TransportError(
            code: .peerClosed,
            message: "The other side closed the connection. Connect again if it should be there.",
            errno: errno
        )
    }

    static func system(_ doing: String, _ errno: Int32) -> TransportError {
        TransportError(code: .system, message: "Could not \(doing): \(System.text(of: errno)).", errno: errno)
    }

    /// A worker was there, and the system has refused what it needs to begin.
    package static func workerLacks(_ errno: Int32) -> TransportError {
        system("give the worker the threads that it needs", errno)
    }

    static func invalidDescriptor(_ descriptor: Int32, _ errno: Int32?) -> TransportError {
        TransportError(
            code: .invalidDescriptor,
            message: "Descriptor \(descriptor) is not a connected stream socket. "
                + "Pass one end of a socket pair or of an accepted connection.",
            errno: errno
        )
    }

    // MARK: Paths

    static func invalidPath(_ sentences: String) -> TransportError {
        TransportError(code: .invalidPath, message: sentences)
    }

    static func unsafe(_ path: String, _ reason: String, _ remedy: String) -> TransportError {
        TransportError(code: .unsafePath, message: "\(path) \(reason). \(remedy)")
    }

    static func addressInUse(_ path: SocketPath) -> TransportError {
        TransportError(
            code: .addressInUse,
            message: "Another coordinator is serving at \(path). Stop it or choose another path."
        )
    }

    static func notFound(_ path: SocketPath) -> TransportError {
        TransportError(
            code: .notFound,
            message: "There is no socket at \(path). Start the coordinator, or check the path.",
            errno: ENOENT
        )
    }

    static func refused(_ path: SocketPath) -> TransportError {
        TransportError(
            code: .refused,
            message: "Nobody is serving at \(path): its coordinator has ended. Start it again.",
            errno: ECONNREFUSED
        )
    }

    static func busy(_ path: SocketPath) -> TransportError {
        TransportError(
            code: .busy,
            message: "The coordinator at \(path) takes no more connections at the moment. Try again later.",
            errno: EAGAIN
        )
    }

    static func wrongUser(_ path: SocketPath, found: UInt32, expected: UInt32) -> TransportError {
        TransportError(
            code: .wrongUser,
            message: "The process serving at \(path) belongs to user \(found), not to user \(expected). "
                + "Choose a path in a directory of your own."
        )
    }
}
