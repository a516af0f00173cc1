import CLatticeSystem

/// The reason why a connection, a listener or a reactor could not do what it was asked to.
///
/// `message` is text for people in full sentences that says what to do. Programs decide by `code`.
package struct TransportError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of the failure.
    package let code: Code
    /// The message for people.
    package let message: String
    /// The system's error number, if the failure has one.
    package let errno: Int32?

    /// Creates an error.
    package init(code: Code, message: String, errno: Int32? = nil) {
        self.code = code
        self.message = message
        self.errno = errno
    }

    package var description: String { message }

    /// A Boolean value that indicates whether the machine, or a limit of this process, had no room for a descriptor, a
    /// process or memory. The same operation may succeed later.
    package var isLackOfResources: Bool { errno.map(System.isLackOfResources) ?? false }

    /// The kind of a failure. It is an open set, because later versions may add kinds.
    package struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name of the kind.
        package let description: String

        /// This side has closed the connection.
        package static let closed = Code(description: "closed")
        /// The other side has closed the connection, so no process reads what is written now.
        package static let peerClosed = Code(description: "peerClosed")
        /// The text cannot be the path of a socket, because it is empty, too long, or contains a zero byte.
        package static let invalidPath = Code(description: "invalidPath")
        /// Another user could put a socket of their own at the path, or the path names something that is not a socket.
        package static let unsafePath = Code(description: "unsafePath")
        /// Another process serves at the path.
        package static let addressInUse = Code(description: "addressInUse")
        /// There is no file at the path.
        package static let notFound = Code(description: "notFound")
        /// There is a socket file at the path, but no process serves there.
        package static let refused = Code(description: "refused")
        /// The process at the path accepts no connection at the moment.
        package static let busy = Code(description: "busy")
        /// The process at the other end belongs to another user.
        package static let wrongUser = Code(description: "wrongUser")
        /// A descriptor that is not a stream socket.
        package static let invalidDescriptor = Code(description: "invalidDescriptor")
        /// The system refused a call. `errno` says why.
        package static let system = Code(description: "system")
    }
}

// All errors of this module are made here, so that their sentences are consistent. The faults of a path's text are
// worded where the text is checked.

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

    package static func system(_ doing: String, _ errno: Int32) -> TransportError {
        TransportError(code: .system, message: "Could not \(doing): \(System.text(of: errno)).", errno: errno)
    }

    /// The system has refused a worker the threads that it needs to begin.
    package static func workerLacks(_ errno: Int32) -> TransportError {
        system("give the worker the threads that it needs", errno)
    }

    static func inheritance(_ descriptor: Int32, _ problem: String, _ advice: String) -> TransportError {
        TransportError(
            code: .invalidDescriptor,
            message: "The inherited descriptor \(descriptor) \(problem). \(advice)",
            errno: nil
        )
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
            message: "No process is serving at \(path), because its coordinator has ended. Start it again.",
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
