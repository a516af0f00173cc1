/// Why a client could not be had, or not a view model from it.
public struct ClientError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What kind of thing went wrong. More codes may come.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Value: String { case connecting, refused, notServed, instance }
        private let value: Value

        /// There is no coordinator at the path, or it cannot be reached.
        public static let connecting = Code(value: .connecting)
        /// The coordinator did not want this client, for example because it speaks another protocol version.
        public static let refused = Code(value: .refused)
        /// The coordinator does not serve the feature.
        public static let notServed = Code(value: .notServed)
        /// The instance key is too long.
        public static let instance = Code(value: .instance)

        public var description: String { value.rawValue }
    }

    public let code: Code
    /// What happened and what to do, in a sentence.
    public let message: String
    /// What lies beneath, if anything. Not part of equality.
    public let cause: (any Error)?

    public var description: String { message }

    public static func == (left: ClientError, right: ClientError) -> Bool {
        left.code == right.code && left.message == right.message
    }

    static func connecting(_ path: String, _ error: any Error) -> ClientError {
        ClientError(code: .connecting, message: "cannot connect to \"\(path)\": \(error)", cause: error)
    }

    static func refused(_ path: String, _ error: any Error) -> ClientError {
        ClientError(
            code: .refused,
            message: "the coordinator at \"\(path)\" does not take this client: \(error)",
            cause: error
        )
    }

    static func instance(_ bytes: Int, _ limit: Int) -> ClientError {
        ClientError(
            code: .instance,
            message: "the instance key has \(bytes) bytes, and at most \(limit) travel; choose a shorter one",
            cause: nil
        )
    }

    static func notServed(_ feature: String, _ reason: String) -> ClientError {
        ClientError(code: .notServed, message: "the coordinator does not serve \"\(feature)\": \(reason)", cause: nil)
    }
}
