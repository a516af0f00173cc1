import LatticeCore
import LatticeSession
import LatticeWire

/// Why a client could not be had, or not a view model from it.
public struct ClientError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What kind of thing went wrong. More codes may come.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Value: String {
            case connecting, silent, refused, notServed, workerFailed, tooMany, instance, invalid
        }
        private let value: Value

        /// There is no coordinator at the path, or it cannot be reached.
        public static let connecting = Code(value: .connecting)
        /// The coordinator takes the connection and does not answer in time, or does not open a feature: it is stopped,
        /// hangs, or has no worker.
        public static let silent = Code(value: .silent)
        /// The coordinator did not want this client, for example because it speaks another protocol version.
        public static let refused = Code(value: .refused)
        /// The coordinator does not host the feature, or not in this schema.
        public static let notServed = Code(value: .notServed)
        /// The coordinator hosts the feature and cannot keep its worker running.
        public static let workerFailed = Code(value: .workerFailed)
        /// More channels or instances than the coordinator opens.
        public static let tooMany = Code(value: .tooMany)
        /// The instance key is too long.
        public static let instance = Code(value: .instance)
        /// A setting that makes no sense.
        public static let invalid = Code(value: .invalid)

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

    static func noPlace(_ error: any Error) -> ClientError {
        ClientError(code: .connecting, message: "there is no place for sockets: \(error)", cause: error)
    }

    static func refused(_ path: String, _ error: any Error) -> ClientError {
        ClientError(
            code: .refused,
            message: "the coordinator at \"\(path)\" does not take this client: \(error)",
            cause: error
        )
    }

    static func silent(_ path: String, process: Int32?, _ limit: Duration) -> ClientError {
        let name = process.map { ", process \($0)," } ?? ""
        return ClientError(
            code: .silent,
            message: "the coordinator at \"\(path)\"\(name) has not answered within \(limit): it is stopped or hangs;"
                + " continue it, or end it and start it again",
            cause: nil
        )
    }

    static func notOpened(_ feature: String, _ path: String, _ limit: Duration, _ host: HostStatus) -> ClientError {
        ClientError(
            code: .silent,
            message: "the coordinator at \"\(path)\" has not opened \"\(feature)\" within \(limit), and its status is:"
                + " \(host); look into its log, or try again later",
            cause: nil
        )
    }

    static func invalid(_ fault: SettingsFault) -> ClientError {
        ClientError(code: .invalid, message: "the client's configuration: \(fault.message)", cause: nil)
    }

    static func instance(_ bytes: Int, _ limit: Int) -> ClientError {
        ClientError(
            code: .instance,
            message: "the instance key has \(bytes) bytes, and at most \(limit) travel; choose a shorter one",
            cause: nil
        )
    }

    /// - Parameter end: Why the channel of the feature was not opened.
    init(_ feature: String, _ end: ChannelEnd) {
        let reason = end.reason
        switch end.refusal {
        case .unavailable:
            self = ClientError(code: .workerFailed, message: "no worker serves \"\(feature)\": \(reason)", cause: nil)
        case .tooMany:
            self = ClientError(code: .tooMany, message: "\"\(feature)\" was not opened: \(reason)", cause: nil)
        default:
            self = .notServed(feature, reason)
        }
    }

    private init(code: Code, message: String, cause: (any Error)?) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    static func notServed(_ feature: String, _ reason: String) -> ClientError {
        ClientError(code: .notServed, message: "the coordinator does not serve \"\(feature)\": \(reason)", cause: nil)
    }
}
