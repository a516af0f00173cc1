import LatticeCore
import LatticeSession
import LatticeTransport

/// Why a coordinator could not be had, or not a view model from it.
public struct CoordinatorError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What kind of thing went wrong. More codes may come.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Value: String { case notHosted, workerFailed, listening, executable, tooMany, duplicate, invalid }
        private let value: Value

        /// The feature is not among those that the coordinator hosts.
        public static let notHosted = Code(value: .notHosted)
        /// The worker cannot be kept running, or does not serve the feature.
        public static let workerFailed = Code(value: .workerFailed)
        /// Clients cannot be listened for, or not any more.
        public static let listening = Code(value: .listening)
        /// There is no executable to start workers from.
        public static let executable = Code(value: .executable)
        /// More instances than a coordinator keeps.
        public static let tooMany = Code(value: .tooMany)
        /// Two features have the same identifier.
        public static let duplicate = Code(value: .duplicate)
        /// An identifier, schema or instance key that does not travel, more features than do, or a setting that makes no
        /// sense.
        public static let invalid = Code(value: .invalid)

        public var description: String { value.rawValue }
    }

    public let code: Code
    /// What happened and what to do, in a sentence.
    public let message: String
    /// What lies beneath, if anything. Not part of equality.
    public let cause: (any Error)?

    public var description: String { message }

    public static func == (left: CoordinatorError, right: CoordinatorError) -> Bool {
        left.code == right.code && left.message == right.message
    }

    static func notHosted(_ feature: String, hosted: [String]) -> CoordinatorError {
        CoordinatorError(
            code: .notHosted,
            message: "the coordinator does not host \"\(feature)\"; it hosts: \(hosted.joined(separator: ", "))",
            cause: nil
        )
    }

    static func workerFailed(_ feature: String, _ reason: String) -> CoordinatorError {
        CoordinatorError(code: .workerFailed, message: "no worker serves \"\(feature)\": \(reason)", cause: nil)
    }

    static func notOpened(_ feature: String, _ limit: Duration, _ host: HostStatus) -> CoordinatorError {
        let message = "none has within \(limit), and its status is: \(host); look into the log, or try again later"
        return workerFailed(feature, message)
    }

    static func invalid(_ fault: SettingsFault) -> CoordinatorError {
        CoordinatorError(code: .invalid, message: "the coordinator's configuration: \(fault.message)", cause: nil)
    }

    static func listening(_ error: any Error) -> CoordinatorError {
        CoordinatorError(code: .listening, message: "cannot listen for clients: \(error)", cause: error)
    }

    static func noPlace(_ error: any Error) -> CoordinatorError {
        CoordinatorError(code: .listening, message: "there is no place for sockets: \(error)", cause: error)
    }

    static func lostPath(_ path: String, _ error: TransportError) -> CoordinatorError {
        let message =
            error.code == .addressInUse
            ? "another coordinator serves at \(path) now: new clients go there, and this one serves only those that are"
                + " connected; stop one of the two"
            : "the socket \(path) or its lock was deleted or replaced, and new clients may not find this coordinator,"
                + " which tries again every second: \(error)"
        return CoordinatorError(code: .listening, message: message, cause: error)
    }

    static func executable(_ path: String, _ problem: String) -> CoordinatorError {
        CoordinatorError(
            code: .executable,
            message: "cannot start workers from \"\(path)\": \(problem); name an executable that calls"
                + " Worker.launchedBySupervisor",
            cause: nil
        )
    }

    static func tooMany(_ limit: Int) -> CoordinatorError {
        CoordinatorError(code: .tooMany, message: "a coordinator keeps at most \(limit) feature instances", cause: nil)
    }

    static func invalidIdentifier(_ identifier: String, _ limit: Int) -> CoordinatorError {
        CoordinatorError(
            code: .invalid,
            message: "the feature identifier \"\(identifier)\" has \(identifier.utf8.count) bytes; give it 1 to"
                + " \(limit)",
            cause: nil
        )
    }

    static func tooManyFeatures(_ fault: SettingsFault) -> CoordinatorError {
        CoordinatorError(code: .invalid, message: fault.message, cause: nil)
    }

    static func invalidSchema(_ feature: String, _ schema: Int) -> CoordinatorError {
        CoordinatorError(
            code: .invalid,
            message: "the schema \(schema) of \"\(feature)\" is not in 0 to \(UInt32.max); choose one that is",
            cause: nil
        )
    }

    static func invalidSize(_ name: String, _ bytes: Int, _ limit: Int) -> CoordinatorError {
        CoordinatorError(
            code: .invalid,
            message: "\(name) is \(bytes), which is not in 1 to \(limit); choose one that is",
            cause: nil
        )
    }

    static func invalidInstance(_ bytes: Int, _ limit: Int) -> CoordinatorError {
        CoordinatorError(
            code: .invalid,
            message: "the instance key has \(bytes) bytes, and at most \(limit) travel; choose a shorter one",
            cause: nil
        )
    }

    static func duplicate(_ identifier: String) -> CoordinatorError {
        CoordinatorError(
            code: .duplicate,
            message: "two hosted features have the identifier \"\(identifier)\"; give each one of its own",
            cause: nil
        )
    }
}
