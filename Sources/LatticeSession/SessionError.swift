package import LatticeTransport
package import LatticeWire

/// Why a session could not be had, or why it ended.
package struct SessionError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What kind of thing went wrong. More codes may come.
    package struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Value: String { case violation, refused, timeout, goodbye, replaced, transport, overloaded }
        private let value: Value

        /// The other side broke the protocol.
        package static let violation = Code(value: .violation)
        /// One side did not want the other in the handshake.
        package static let refused = Code(value: .refused)
        /// The other side did not answer in time.
        package static let timeout = Code(value: .timeout)
        /// The other side said goodbye.
        package static let goodbye = Code(value: .goodbye)
        /// A newer session has the same identity.
        package static let replaced = Code(value: .replaced)
        /// The connection failed.
        package static let transport = Code(value: .transport)
        /// The other side reads too slowly to keep the session.
        package static let overloaded = Code(value: .overloaded)

        package var description: String { value.rawValue }
    }

    package let code: Code
    /// What happened and what to do, in a sentence.
    package let message: String
    /// What lies beneath, if anything. Not part of equality.
    package let cause: (any Error)?
    /// The code with which one side refused the other, if that is what happened. Not part of equality.
    package var refusal: RefusalCode?

    package var description: String { message }

    /// What the other side is told.
    var goodbyeCode: GoodbyeCode {
        switch code {
        case .violation: .violation
        case .timeout: .timeout
        case .replaced: .replaced
        default: .overloaded
        }
    }

    package static func == (left: SessionError, right: SessionError) -> Bool {
        left.code == right.code && left.message == right.message
    }

    package static func violation(_ message: String) -> SessionError {
        SessionError(code: .violation, message: "the other side broke the protocol: \(message)", cause: nil)
    }

    package static func violation(_ error: WireError) -> SessionError {
        SessionError(code: .violation, message: "the other side broke the protocol: \(error)", cause: error)
    }

    package static func refused(by role: String, _ refusal: Refuse) -> SessionError {
        SessionError(
            code: .refused,
            message: "the \(role) refused this session: \(refusal.reason)",
            cause: nil,
            refusal: refusal.code
        )
    }

    package static func refusing(_ refusal: Refuse) -> SessionError {
        SessionError(
            code: .refused,
            message: "refused the other side: \(refusal.reason)",
            cause: nil,
            refusal: refusal.code
        )
    }

    package static func handshakeTimeout(_ limit: Duration) -> SessionError {
        SessionError(
            code: .timeout,
            message: "the other side did not complete the handshake within \(limit);"
                + " check that it is a Lattice program",
            cause: nil
        )
    }

    package static func silent(_ limit: Duration) -> SessionError {
        SessionError(code: .timeout, message: "the other side answered no ping for \(limit)", cause: nil)
    }

    package static var endedEarly: SessionError {
        SessionError(code: .transport, message: "the other side closed the connection before the handshake", cause: nil)
    }

    package static func goodbye(_ goodbye: Goodbye) -> SessionError {
        SessionError(
            code: goodbye.code == .replaced ? .replaced : .goodbye,
            message: goodbye.reason.isEmpty ? "the other side ended the session" : goodbye.reason,
            cause: nil
        )
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
            cause: nil
        )
    }
}
