import LatticeTransport

/// The error of an endpoint that cannot listen.
public struct MetricsEndpointError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of a ``MetricsEndpointError``. Later versions may add codes.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name of the code, such as "listening".
        public let description: String

        /// The endpoint cannot listen at its address.
        public static let listening = Code(description: "listening")
    }

    /// The kind of the error.
    public let code: Code
    /// A description of what happened and what to do about it, in full sentences.
    public let message: String
    /// The error that caused this one. It is ignored when errors are compared.
    public let cause: (any Error)?

    /// The message.
    public var description: String { message }

    /// Returns whether the codes and the messages are equal. The causes are ignored.
    public static func == (left: MetricsEndpointError, right: MetricsEndpointError) -> Bool {
        left.code == right.code && left.message == right.message
    }

    static func listening(_ address: MetricsAddress, _ cause: TransportError) -> MetricsEndpointError {
        let message =
            "The metrics cannot be served at \(address). \(cause.message) Choose another address if another"
            + " program serves there."
        return MetricsEndpointError(code: .listening, message: message, cause: cause)
    }
}
