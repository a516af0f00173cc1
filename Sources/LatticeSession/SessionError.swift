import LatticeCoding
package import LatticeTransport
package import LatticeWire

/// Why a session could not be had, or why it ended.
package struct SessionError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What kind of thing went wrong.
    package enum Code: String, Sendable, CustomStringConvertible {
        /// The other side broke the protocol.
        case violation
        /// One side did not want the other in the handshake.
        case refused
        /// The other side did not answer in time.
        case timeout
        /// The other side said goodbye.
        case goodbye
        /// A newer session has the same identity.
        case replaced
        /// The other side said goodbye because it ends in good order.
        case shutDown
        /// The connection failed.
        case transport
        /// The other side reads too slowly to keep the session, or there is no room for it.
        case overloaded
        /// The other side belongs to another user.
        case foreign

        package var description: String { rawValue }
    }

    package let code: Code
    /// What happened and what to do, in a sentence.
    package let message: String
    /// The same without whose fault it is: what the other side is told, to which this side is the other one. Not part
    /// of equality.
    package let detail: String
    /// The code with which one side refused the other, if that is what happened. Not part of equality.
    package let refusal: RefusalCode?
    /// What lies beneath, if anything. Not part of equality.
    package let cause: (any Error)?

    private init(
        code: Code,
        message: String,
        detail: String? = nil,
        refusal: RefusalCode? = nil,
        cause: (any Error)? = nil
    ) {
        self.refusal = refusal
        self.code = code
        self.message = message
        self.detail = detail ?? message
        self.cause = cause
    }

    package var description: String { message }

    /// What the other side is told in an open session.
    var goodbyeCode: GoodbyeCode {
        switch code {
        case .violation: .violation
        case .timeout: .timeout
        case .replaced: .replaced
        default: .overloaded
        }
    }

    /// What an initiator is told that was not let in yet.
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

    package static func violation(_ error: WireError) -> SessionError {
        violation("\(error)", cause: error)
    }

    package static func violation(_ detail: String, cause: (any Error)? = nil) -> SessionError {
        SessionError(
            code: .violation,
            message: "the other side broke the protocol: \(detail)",
            detail: detail,
            cause: cause
        )
    }

    package static func refused(by role: String, _ refusal: Refuse) -> SessionError {
        SessionError(
            code: .refused,
            message: "the \(role) refused this session: \(refusal.reason)",
            detail: refusal.reason,
            refusal: refusal.code
        )
    }

    package static func refusing(_ refusal: Refuse) -> SessionError {
        SessionError(
            code: .refused,
            message: "refused the other side: \(refusal.reason)",
            detail: refusal.reason,
            refusal: refusal.code
        )
    }

    package static func handshakeTimeout(_ limit: Duration) -> SessionError {
        SessionError(
            code: .timeout,
            message: "the other side did not complete the handshake within \(limit);"
                + " check that it is a Lattice program",
            detail: "the handshake was not complete within \(limit)"
        )
    }

    /// There is no place for the other side now.
    package static func busy(_ reason: String) -> SessionError {
        SessionError(code: .overloaded, message: reason)
    }

    /// The other side is a process of somebody else.
    package static func foreign(_ user: UInt32?, servesUser: UInt32) -> SessionError {
        SessionError(
            code: .foreign,
            message: "the other side belongs to \(user.map { "user \($0)" } ?? "an unknown user")",
            detail: "only programs of user \(servesUser) may connect here, and this one belongs to"
                + " \(user.map { "user \($0)" } ?? "an unknown user")"
        )
    }

    package static func silent(_ limit: Duration) -> SessionError {
        SessionError(
            code: .timeout,
            message: "the other side answered no ping for \(limit)",
            detail: "no ping was answered for \(limit)"
        )
    }

    package static var endedEarly: SessionError {
        SessionError(code: .transport, message: "the other side closed the connection before the handshake")
    }

    /// The other side has said hello once more, on another connection.
    package static var replaced: SessionError {
        SessionError(
            code: .replaced,
            message:
                "a newer session has the same identity and takes the place of this one; give each client an identity"
                + " of its own"
        )
    }

    package static func goodbye(_ goodbye: Goodbye) -> SessionError {
        let reason = goodbye.reason
        switch goodbye.code {
        case .shuttingDown:
            return SessionError(code: .shutDown, message: reason.isEmpty ? "the other side shut down" : reason)
        case .violation:
            let message = "the other side says that this side broke the protocol: \(reason)"
            return SessionError(code: .goodbye, message: message, detail: reason)
        case .replaced:
            let message = reason.isEmpty ? "a newer session has the same identity" : reason
            return SessionError(code: .replaced, message: message)
        default:
            let message = "the other side ended the session" + (reason.isEmpty ? "" : ": \(reason)")
            return SessionError(code: .goodbye, message: message, detail: reason)
        }
    }

    package static func transport(_ error: TransportError) -> SessionError {
        SessionError(code: .transport, message: error.description, cause: error)
    }

    /// What the other side sent cannot be taken: it breaks the protocol, or there is no memory for it.
    package static func receiving(_ error: WireError) -> SessionError {
        guard error.cause is AssemblyBudget.Spent else { return .violation(error) }
        return SessionError(code: .overloaded, message: error.sentence, cause: error)
    }

    /// A state cannot be sent, and the one before it cannot be had back.
    package static func stateLost(_ feature: String, _ error: any Error) -> SessionError {
        SessionError(
            code: .overloaded,
            message: "the state of \"\(feature)\" cannot be sent, and the one before it cannot be decoded;"
                + " \(CodingFailure.sentence(error))",
            cause: error
        )
    }

    package static func slowReader(_ bytes: Int) -> SessionError {
        SessionError(
            code: .overloaded,
            message: "the other side does not read: \(bytes) bytes wait to be written, and no more are kept",
            detail: "\(bytes) bytes wait to be read, and no more are kept"
        )
    }
}

extension SessionError {
    /// Whether it will be the same the next time, so that nothing is won by trying again.
    package var isLasting: Bool {
        switch code {
        case .replaced: true
        case .refused: refusal != .busy && refusal != .timeout
        default: false
        }
    }
}
