import LatticeCore
import LatticeSession
import LatticeWire

/// Why a client could not be had, or not a view model from it.
public struct ClientError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What kind of thing went wrong. More codes may come.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        /// There is no coordinator at the path, or it cannot be reached.
        public static let connecting = Code(description: "connecting")
        /// The coordinator takes the connection and does not answer in time, or does not open a feature: it is stopped,
        /// hangs, or has no worker.
        public static let silent = Code(description: "silent")
        /// The coordinator did not want this client, for example because it speaks another protocol version.
        public static let refused = Code(description: "refused")
        /// The coordinator does not host the feature, or not in this schema.
        public static let notServed = Code(description: "notServed")
        /// The coordinator hosts the feature and cannot keep its worker running.
        public static let workerFailed = Code(description: "workerFailed")
        /// More channels or instances than the coordinator opens.
        public static let tooMany = Code(description: "tooMany")
        /// The instance key is too long.
        public static let instance = Code(description: "instance")
        /// A setting that makes no sense.
        public static let invalid = Code(description: "invalid")
    }

    /// What kind of thing went wrong.
    public let code: Code
    /// What happened and what to do, in a sentence.
    public let message: String
    /// What lies beneath, if anything. Not part of equality.
    public let cause: (any Error)?

    public var description: String { message }

    public static func == (left: ClientError, right: ClientError) -> Bool {
        left.code == right.code && left.message == right.message
    }

    private init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// - Parameter end: Why the channel of the feature was not opened.
    init(_ feature: String, _ end: ChannelEnd) {
        switch end.refusal {
        case .unavailable: self.init(.workerFailed, "no worker serves \"\(feature)\": \(end.reason)")
        case .tooMany: self.init(.tooMany, "\"\(feature)\" was not opened: \(end.reason)")
        default: self = .notServed(feature, end.reason)
        }
    }

    static func connecting(_ path: String, _ error: any Error) -> Self {
        Self(.connecting, "cannot connect to \"\(path)\": \(error)", cause: error)
    }

    static func noPlace(_ error: any Error) -> Self {
        Self(.connecting, "there is no place for sockets: \(error)", cause: error)
    }

    static func refused(_ path: String, _ error: any Error) -> Self {
        Self(.refused, "the coordinator at \"\(path)\" does not take this client: \(error)", cause: error)
    }

    static func silent(_ path: String, process: Int32?, _ limit: Duration) -> Self {
        let name = process.map { ", process \($0)," } ?? ""
        return Self(
            .silent,
            "the coordinator at \"\(path)\"\(name) has not answered within \(limit): it is stopped or hangs; continue it,"
                + " or end it and start it again"
        )
    }

    static func notOpened(_ feature: String, _ path: String, _ limit: Duration, _ host: HostStatus) -> Self {
        Self(
            .silent,
            "the coordinator at \"\(path)\" has not opened \"\(feature)\" within \(limit), and its status is:"
                + " \(host); look into its log, or try again later"
        )
    }

    static func notServed(_ feature: String, _ reason: String) -> Self {
        Self(.notServed, "the coordinator does not serve \"\(feature)\": \(reason)")
    }

    static func invalid(_ fault: ConfigurationError) -> Self {
        Self(.invalid, "the client's configuration: \(fault.message)")
    }

    static func instance(_ bytes: Int, _ limit: Int) -> Self {
        Self(.instance, "the instance key has \(bytes) bytes, and at most \(limit) travel; choose a shorter one")
    }
}
