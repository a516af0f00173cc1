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

    /// Whether the machine, or a limit of this process, had no room for a descriptor, a process or memory: the same may
    /// work later.
    package var isLackOfResources: Bool { errno.map(System.saysNoRoom) ?? false }

    /// What kind of failure it is. More may come, so there is no exhaustive list to switch over.
    package struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Value: String {
            case closed, peerClosed, invalidPath, unsafePath, addressInUse, notFound, refused, busy, wrongUser
            case invalidDescriptor, system
        }

        private let value: Value

        /// This side closed the connection before.
        package static var closed: Code { Code(value: .closed) }
        /// The other side is gone: what is written now, nobody reads.
        package static var peerClosed: Code { Code(value: .peerClosed) }
        /// The text cannot be the path of a socket: empty, too long, or with a zero byte.
        package static var invalidPath: Code { Code(value: .invalidPath) }
        /// Somebody else could put a socket of their own at the path, or something that is no socket lies there.
        package static var unsafePath: Code { Code(value: .unsafePath) }
        /// Another process serves at the path.
        package static var addressInUse: Code { Code(value: .addressInUse) }
        /// Nothing is at the path.
        package static var notFound: Code { Code(value: .notFound) }
        /// A socket file is at the path and no process behind it.
        package static var refused: Code { Code(value: .refused) }
        /// The process behind the path takes no connection at the moment.
        package static var busy: Code { Code(value: .busy) }
        /// The process at the other end belongs to another user.
        package static var wrongUser: Code { Code(value: .wrongUser) }
        /// A descriptor that is no stream socket.
        package static var invalidDescriptor: Code { Code(value: .invalidDescriptor) }
        /// The system refused a call; `errno` says why.
        package static var system: Code { Code(value: .system) }

        package var description: String { value.rawValue }
    }
}
