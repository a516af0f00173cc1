import LatticeCore
import LatticeSession
import LatticeWire

/// An error of a client: it could not connect, or it could not open a view model.
///
/// ```swift
/// do {
///     try await withClient(connectingTo: path) { client in try await show(client) }
/// } catch let error as ClientError where error.code == .connecting {
///     print("Start the coordinator first. \(error)")
/// }
/// ```
public struct ClientError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of a ``ClientError``. Later versions may add codes.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name of the code, such as "connecting".
        public let description: String

        /// No coordinator listens at the path, or it cannot be reached.
        public static let connecting = Code(description: "connecting")
        /// The coordinator accepts the connection but does not answer in time, or it does not open a feature in time.
        /// It is suspended (SIGSTOP, Ctrl-Z, a debugger), it hangs, or it has no worker.
        public static let silent = Code(description: "silent")
        /// The coordinator accepts connections, but none of them lasted until the client gave up.
        public static let unstable = Code(description: "unstable")
        /// The coordinator refused this client, for example because the client speaks another version of the protocol.
        public static let refused = Code(description: "refused")
        /// The coordinator does not host the feature, or it hosts the feature with another schema.
        public static let notServed = Code(description: "notServed")
        /// The coordinator hosts the feature but cannot keep its worker running.
        public static let workerFailed = Code(description: "workerFailed")
        /// The client asked for more channels or instances than the coordinator allows.
        public static let tooMany = Code(description: "tooMany")
        /// The instance key is too long.
        public static let instance = Code(description: "instance")
        /// A setting of the client is invalid.
        public static let invalid = Code(description: "invalid")
    }

    /// The kind of the error.
    public let code: Code
    /// A description of what happened and what to do about it, in full sentences.
    public let message: String
    /// The error that caused this one, or nil. It is ignored when errors are compared.
    public let cause: (any Error)?

    /// The message.
    public var description: String { message }

    /// Returns whether the codes and the messages are equal. The causes are ignored.
    public static func == (left: ClientError, right: ClientError) -> Bool {
        left.code == right.code && left.message == right.message
    }

    private init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// Creates the error for a channel that was not opened.
    ///
    /// - Parameters:
    ///   - feature: The identifier of the feature.
    ///   - end: The reason why the channel was not opened.
    init(_ feature: String, _ end: ChannelEnd) {
        switch end.refusal {
        case .unavailable: self.init(.workerFailed, "No worker serves \"\(feature)\": \(end.reason)")
        case .tooMany: self.init(.tooMany, "The feature \"\(feature)\" was not opened: \(end.reason)")
        default:
            // A reason that names the feature is complete without another sentence around it.
            let namesFeature = end.reason.contains("\"\(feature)\"")
            self = namesFeature ? Self(.notServed, end.reason) : .notServed(feature, end.reason)
        }
    }

    static func connecting(_ path: String, _ error: any Error) -> Self {
        Self(.connecting, "The client cannot connect to \"\(path)\". \(error)", cause: error)
    }

    /// Creates the error of a client that does not reconnect any more.
    ///
    /// - Parameter reason: The beginning of a sentence, in lower case.
    static func gaveUp(_ code: Code, _ reason: String, cause: (any Error)? = nil) -> Self {
        let sentence: String = reason.prefix(1).uppercased() + reason.dropFirst()
        return Self(code, sentence.hasSuffix(".") ? sentence : sentence + ".", cause: cause)
    }

    static func noPlace(_ error: any Error) -> Self {
        Self(.connecting, "The directory for sockets cannot be used. \(error)", cause: error)
    }

    static func refused(_ path: String, _ error: any Error) -> Self {
        Self(.refused, "The coordinator at \"\(path)\" refused this client: \(error)", cause: error)
    }

    static func silent(_ path: String, process: Int32?, _ timeout: Duration) -> Self {
        let name = process.map { ", process \($0)," } ?? ""
        return Self(
            .silent,
            "The coordinator at \"\(path)\"\(name) has not answered within \(timeout). It is suspended or hangs."
                + " Resume it (kill -CONT), or kill it and start it again."
        )
    }

    static func notOpened(_ feature: String, _ path: String, _ timeout: Duration, _ host: HostStatus) -> Self {
        Self(
            .silent,
            "The coordinator at \"\(path)\" has not opened \"\(feature)\" within \(timeout). Its status is: \(host)."
                + " Look into its log, or try again later."
        )
    }

    static func notServed(_ feature: String, _ reason: String) -> Self {
        Self(.notServed, "The coordinator does not serve \"\(feature)\": \(reason)")
    }

    static func invalid(_ error: ConfigurationError) -> Self {
        Self(.invalid, "The client's configuration is invalid: \(error.message)")
    }

    static func instance(_ bytes: Int, _ maximum: Int) -> Self {
        Self(.instance, "The instance key has \(bytes) bytes, and the maximum is \(maximum). Choose a shorter one.")
    }
}
