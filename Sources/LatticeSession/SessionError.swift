import LatticeCoding
package import LatticeTransport
package import LatticeWire

/// An error that explains why a session could not be opened, or why it ended.
package struct SessionError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The category of an error.
    package enum Code: String, Sendable, CustomStringConvertible {
        /// The other side violated the protocol.
        case violation
        /// One side refused the other during the handshake.
        case refused
        /// The other side did not answer in time.
        case timeout
        /// The other side ended the session with a goodbye.
        case goodbye
        /// A newer session has the same client identity.
        case replaced
        /// The other side ended the session in an orderly shutdown.
        case shutDown
        /// The connection failed.
        case transport
        /// The other side reads too slowly, or this side has no room for the session.
        case overloaded
        /// The other side belongs to another user.
        case foreign

        package var description: String { rawValue }
    }

    /// The category of the error.
    package let code: Code
    /// A sentence that says what happened and what to do.
    package let message: String
    /// The message from the point of view of the other side, to which it is sent. It is not part of equality.
    package let detail: String
    /// The code with which one side refused the other, or `nil` for other errors. It is not part of equality.
    package let refusal: RefusalCode?
    /// The code with which the other side ended the session, or `nil` for other errors. It is not part of equality.
    package let goodbye: GoodbyeCode?
    /// The underlying error, if any. It is not part of equality.
    package let cause: (any Error)?

    private init(
        code: Code,
        message: String,
        detail: String? = nil,
        refusal: RefusalCode? = nil,
        goodbye: GoodbyeCode? = nil,
        cause: (any Error)? = nil
    ) {
        self.refusal = refusal
        self.goodbye = goodbye
        self.code = code
        self.message = message
        self.detail = detail ?? message
        self.cause = cause
    }

    package var description: String { message }

    /// The code that the other side receives if the session is open.
    var goodbyeCode: GoodbyeCode {
        switch code {
        case .violation: .violation
        case .timeout: .timeout
        case .replaced: .replaced
        default: .overloaded
        }
    }

    /// The code that an initiator receives if it has not been taken in yet.
    var refusalCode: RefusalCode {
        switch code {
        case .timeout: .timeout
        case .overloaded: .busy
        case .foreign: .credentials
        default: .malformed
        }
    }

    package static func == (left: SessionError, right: SessionError) -> Bool {
        left.code == right.code && left.message == right.message
    }

    /// Creates an error for a protocol violation by the other side.
    package static func violation(_ error: WireError) -> SessionError {
        violation("\(error)", cause: error)
    }

    /// Creates an error for a protocol violation by the other side, which `detail` describes.
    package static func violation(_ detail: String, cause: (any Error)? = nil) -> SessionError {
        let fault = detail.hasSuffix(".") ? String(detail.dropLast()) : detail
        return SessionError(
            code: .violation,
            message: "the other side broke the protocol: \(fault); build both programs from the same version of"
                + " Lattice",
            detail: detail,
            cause: cause
        )
    }

    /// Creates an error for a refusal that the other side sent.
    ///
    /// - Parameters:
    ///   - role: The other side in words, for the message.
    ///   - refusal: The refusal that was received.
    package static func refused(by role: String, _ refusal: Refuse) -> SessionError {
        SessionError(
            code: .refused,
            message: "the \(role) refused this session: \(refusal.reason)",
            detail: refusal.reason,
            refusal: refusal.code
        )
    }

    /// Creates an error for a refusal that this side sends.
    package static func refusing(_ refusal: Refuse) -> SessionError {
        SessionError(
            code: .refused,
            message: "this side refused the other side: \(refusal.reason)",
            detail: refusal.reason,
            refusal: refusal.code
        )
    }

    /// Creates an error for a handshake that took longer than the given time.
    package static func handshakeTimeout(_ limit: Duration) -> SessionError {
        SessionError(
            code: .timeout,
            message: "the other side did not complete the handshake within \(limit);"
                + " check that it is a Lattice program",
            detail: "the handshake was not complete within \(limit)"
        )
    }

    /// Creates an error for an acceptor that has no room for the other side.
    package static func busy(_ reason: String) -> SessionError {
        SessionError(code: .overloaded, message: reason)
    }

    /// Creates an error for a process that belongs to a user whom this side does not serve.
    ///
    /// - Parameters:
    ///   - user: The user ID of the other side, or `nil` if it is unknown.
    ///   - servesUser: The user ID that this side serves.
    package static func foreign(_ user: UInt32?, servesUser: UInt32) -> SessionError {
        SessionError(
            code: .foreign,
            message: "the other side belongs to \(user.map { "user \($0)" } ?? "an unknown user")",
            detail: "only programs of user \(servesUser) may connect here, and this one belongs to"
                + " \(user.map { "user \($0)" } ?? "an unknown user")"
        )
    }

    /// Creates an error for a peer that has answered no ping for the given time.
    package static func silent(_ limit: Duration) -> SessionError {
        SessionError(
            code: .timeout,
            message: "the other side answered no ping for \(limit); it is suspended or hangs",
            detail: "no ping was answered for \(limit)"
        )
    }

    /// An error for a connection that the other side closed before the handshake was complete.
    package static var endedEarly: SessionError {
        SessionError(code: .transport, message: "the other side closed the connection before the handshake")
    }

    /// An error for a session that is replaced because the same client has connected again.
    package static var replaced: SessionError {
        SessionError(
            code: .replaced,
            message:
                "a newer session has the same identity and takes the place of this one; give each client an identity"
                + " of its own"
        )
    }

    /// Creates an error for a goodbye that the other side sent.
    package static func goodbye(_ goodbye: Goodbye) -> SessionError {
        let reason = goodbye.reason
        switch goodbye.code {
        case .shuttingDown:
            return SessionError(code: .shutDown, message: reason.isEmpty ? "the other side shut down" : reason)
        case .violation:
            let message = "the other side says that this side broke the protocol: \(reason)"
            return SessionError(code: .goodbye, message: message, detail: reason, goodbye: .violation)
        case .replaced:
            let message = reason.isEmpty ? "a newer session has the same identity" : reason
            return SessionError(code: .replaced, message: message)
        default:
            let message = "the other side ended the session" + (reason.isEmpty ? "" : ": \(reason)")
            return SessionError(code: .goodbye, message: message, detail: reason, goodbye: goodbye.code)
        }
    }

    /// Creates an error for a failed connection.
    package static func transport(_ error: TransportError) -> SessionError {
        SessionError(code: .transport, message: error.description, cause: error)
    }

    /// Creates an error for a message that cannot be received, because it violates the protocol or because there is no
    /// memory for it.
    package static func receiving(_ error: WireError) -> SessionError {
        guard error.cause is AssemblyBudget.Spent else { return .violation(error) }
        return SessionError(code: .overloaded, message: error.sentence, cause: error)
    }

    /// Creates an error for a state that cannot be sent when the state before it cannot be restored either.
    package static func stateLost(_ feature: String, _ error: any Error) -> SessionError {
        SessionError(
            code: .overloaded,
            message: "the state of \"\(feature)\" cannot be sent, and the state before it cannot be decoded;"
                + " \(CodingFailure.sentence(error))",
            cause: error
        )
    }

    /// An error for a peer that asks for more descriptions and does not read the answers.
    package static var unreadAnswers: SessionError {
        SessionError(
            code: .overloaded,
            message: "the other side asks for more descriptions than it reads",
            detail: "the answers to earlier requests are not read; read them before you ask again"
        )
    }

    /// Creates an error for a peer that does not read. No more than `bytes` bytes are kept for it.
    package static func slowReader(_ bytes: Int) -> SessionError {
        SessionError(
            code: .overloaded,
            message: "the other side does not read: \(bytes) bytes wait to be written, and no more are kept",
            detail: "\(bytes) bytes wait to be read, and no more are kept"
        )
    }
}

extension SessionError {
    /// A Boolean value that indicates whether another attempt would fail in the same way.
    package var isLasting: Bool {
        switch code {
        case .replaced: true
        case .refused: refusal != .busy && refusal != .timeout
        default: false
        }
    }
}
