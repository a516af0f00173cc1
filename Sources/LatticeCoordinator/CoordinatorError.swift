import LatticeCore
import LatticeTransport

/// Why a coordinator could not be had, or not a view model from it.
public struct CoordinatorError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What kind of thing went wrong. More codes may come.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        /// The feature is not among those that the coordinator hosts.
        public static let notHosted = Code(description: "notHosted")
        /// The worker cannot be kept running, or does not serve the feature.
        public static let workerFailed = Code(description: "workerFailed")
        /// Clients cannot be listened for, or not any more.
        public static let listening = Code(description: "listening")
        /// There is no executable to start workers from.
        public static let executable = Code(description: "executable")
        /// More instances than a coordinator keeps, or than a group has workers for.
        public static let tooMany = Code(description: "tooMany")
        /// The coordinator stops, and starts nothing new.
        public static let stopping = Code(description: "stopping")
        /// Two features have the same identifier.
        public static let duplicate = Code(description: "duplicate")
        /// The instance is there already, and has a state of its own.
        public static let exists = Code(description: "exists")
        /// An identifier, schema or instance key that does not travel, more features than do, or a setting that makes
        /// no sense.
        public static let invalid = Code(description: "invalid")
    }

    /// What kind of thing went wrong.
    public let code: Code
    /// What happened and what to do, in a sentence.
    public let message: String
    /// What lies beneath, if anything. Not part of equality.
    public let cause: (any Error)?

    public var description: String { message }

    public static func == (left: CoordinatorError, right: CoordinatorError) -> Bool {
        left.code == right.code && left.message == right.message
    }

    init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    static func notHosted(_ feature: String, hosted: [String]) -> Self {
        Self(.notHosted, "the coordinator does not host \"\(feature)\"; it hosts: \(hosted.joined(separator: ", "))")
    }

    static func workerFailed(_ feature: String, _ reason: String) -> Self {
        Self(.workerFailed, "no worker serves \"\(feature)\": \(reason)")
    }

    static func notOpened(_ feature: String, _ limit: Duration, _ host: HostStatus) -> Self {
        workerFailed(
            feature,
            "none has within \(limit), and its status is: \(host); look into the log, or try again later"
        )
    }

    static func listening(_ error: any Error) -> Self {
        Self(.listening, "cannot listen for clients: \(error)", cause: error)
    }

    static func noPlace(_ error: any Error) -> Self {
        Self(.listening, "there is no place for sockets: \(error)", cause: error)
    }

    static func lostPath(_ path: String, _ error: TransportError) -> Self {
        let message =
            error.code == .addressInUse
            ? "another coordinator serves at \(path) now: new clients go there, and this one serves only those that are"
                + " connected; stop one of the two"
            : "the socket \(path) or its lock was deleted or replaced, and new clients may not find this coordinator,"
                + " which tries again every second: \(error)"
        return Self(.listening, message, cause: error)
    }

    static func executable(_ path: String, _ problem: String) -> Self {
        Self(
            .executable,
            "cannot start workers from \"\(path)\": \(problem); name an executable that calls"
                + " Worker.launchedBySupervisor"
        )
    }

    static func noOwnExecutable(_ problem: String) -> Self {
        Self(
            .executable,
            "cannot start workers from this program, since /proc/self/exe does not say which file it is: \(problem); mount"
                + " /proc, or name an executable as workerExecutable"
        )
    }

    static func tooMany(_ limit: Int) -> Self {
        Self(.tooMany, "there are \(limit) feature instances, and no more are kept; close some, or allow more")
    }

    static func tooManyOfClient(_ limit: Int) -> Self {
        Self(
            .tooMany,
            "the coordinator makes no more than \(limit) feature instances for one client; use those that are there, or"
                + " have it close some"
        )
    }

    static func tooManyWorkers(_ limit: Int, in group: String) -> Self {
        Self(
            .tooMany,
            "each of the \(limit) workers of the group \"\(group)\" has its instance; close one of those, or allow more"
                + " workers"
        )
    }

    static func exists(_ feature: String, _ instance: String) -> Self {
        Self(
            .exists,
            "the instance \"\(instance)\" of \"\(feature)\" is there already and keeps its state, so it cannot start from"
                + " another one; a client may have opened it: restore instances in the configuration's restoring, or"
                + " close this one before"
        )
    }

    static var stopping: Self { Self(.stopping, "the coordinator stops; ask again when it runs again") }

    static func noFiles(_ limit: Int, workers: Int) -> Self {
        invalid(
            "\(limit) files may be open, and what is kept for \(workers) workers leaves none for clients; allow more open"
                + " files, or fewer workers"
        )
    }

    static func noThreads(_ problem: String, workers: Int) -> Self {
        invalid(
            "this process gets too few threads for a coordinator and its workers (\(workers)): \(problem); allow its user more"
                + " tasks (ulimit -u), or fewer workers"
        )
    }

    static func duplicate(_ identifier: String) -> Self {
        Self(.duplicate, "two hosted features have the identifier \"\(identifier)\"; give each one of its own")
    }

    /// - Parameter message: What is wrong, and what to choose instead.
    static func invalid(_ message: String) -> Self {
        Self(.invalid, message)
    }
}
