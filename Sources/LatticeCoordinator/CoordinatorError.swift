import LatticeCoding
import LatticeCore
import LatticeTransport

/// An error of a coordinator: it could not start, or it could not do what it was asked for.
///
/// ```swift
/// do {
///     _ = try await coordinator.viewModel(Notes.self)
/// } catch let error as CoordinatorError where error.code == .tooMany {
///     coordinator.close(Notes.self, instance: oldest)
/// }
/// ```
public struct CoordinatorError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of a ``CoordinatorError``. Later versions may add codes.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name of the code, such as "notHosted".
        public let description: String

        /// The coordinator does not host the feature.
        public static let notHosted = Code(description: "notHosted")
        /// The worker cannot be kept running, or it does not serve the feature.
        public static let workerFailed = Code(description: "workerFailed")
        /// The coordinator cannot listen for clients, or it can no longer do so.
        public static let listening = Code(description: "listening")
        /// The executable to start workers from does not exist or cannot be used.
        public static let executable = Code(description: "executable")
        /// The coordinator has as many instances as it may have, or the group has no worker left for another one.
        public static let tooMany = Code(description: "tooMany")
        /// The coordinator is stopping and starts nothing new.
        public static let stopping = Code(description: "stopping")
        /// Two features have the same identifier.
        public static let duplicate = Code(description: "duplicate")
        /// The instance already exists and has a state of its own.
        public static let exists = Code(description: "exists")
        /// An identifier, schema, instance key or setting is invalid, or there are too many features.
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
    public static func == (left: CoordinatorError, right: CoordinatorError) -> Bool {
        left.code == right.code && left.message == right.message
    }

    init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    static func notHosted(_ feature: String, hosted: [String]) -> Self {
        let others = hosted.isEmpty ? "It hosts no features." : "It hosts: \(hosted.joined(separator: ", "))."
        return Self(
            .notHosted,
            "The coordinator does not host \"\(feature)\". \(others) Pass the feature to withCoordinator(hosting:)."
        )
    }

    static func workerFailed(_ feature: String, _ reason: String) -> Self {
        Self(.workerFailed, "No worker serves \"\(feature)\": \(reason)")
    }

    static func notOpened(_ feature: String, _ timeout: Duration, _ host: HostStatus) -> Self {
        Self(
            .workerFailed,
            "No worker served \"\(feature)\" within \(timeout). Its status is: \(host). Look into the log, or try again"
                + " later."
        )
    }

    static func listening(_ error: any Error) -> Self {
        Self(.listening, "The coordinator cannot listen for clients. \(error)", cause: error)
    }

    static func noPlace(_ error: any Error) -> Self {
        Self(.listening, "The directory for sockets cannot be used. \(error)", cause: error)
    }

    static func lostPath(_ path: String, _ error: TransportError) -> Self {
        let message =
            error.code == .addressInUse
            ? "Another coordinator is serving at \(path) now. New clients connect to it, and this coordinator serves"
                + " only the clients that are connected already. Stop one of the two."
            : "The socket \(path) or its lock was deleted or replaced. New clients may not find this coordinator, which"
                + " tries every second to create the files again. \(error)"
        return Self(.listening, message, cause: error)
    }

    static func executable(_ path: String, _ problem: String) -> Self {
        Self(
            .executable,
            "The coordinator cannot start workers from \"\(path)\": \(problem). Name an executable that calls"
                + " Worker.launchedBySupervisor."
        )
    }

    static func noOwnExecutable(_ problem: String) -> Self {
        Self(
            .executable,
            "The coordinator cannot start workers from this program, because /proc/self/exe does not say which file"
                + " that is: \(problem). Mount /proc, or set workerExecutable."
        )
    }

    static func tooMany(_ maximum: Int) -> Self {
        Self(
            .tooMany,
            "The coordinator has \(maximum.counted("feature instance")), its maximum. Close some, or allow more."
        )
    }

    static func tooManyOfClient(_ maximum: Int) -> Self {
        Self(
            .tooMany,
            "The client asked for more than \(maximum.counted("new feature instance")), its maximum. Use instances"
                + " that exist, or have it close some."
        )
    }

    static func tooManyWorkers(_ maximum: Int, in group: String) -> Self {
        Self(
            .tooMany,
            "The group \"\(group)\" has \(maximum.counted("worker")), its maximum, and each one serves an instance."
                + " Close one of the instances, or allow more workers."
        )
    }

    static func exists(_ feature: String, _ instance: String) -> Self {
        let key = instance.isEmpty ? "" : " \"\(instance)\""
        return Self(
            .exists,
            "The instance\(key) of \"\(feature)\" already exists and keeps its state, so it cannot start from"
                + " another one. A client may have opened it. Restore instances in the configuration's restoring, or"
                + " close this one first."
        )
    }

    static var stopping: Self { Self(.stopping, "The coordinator is stopping. Try again when it is running again.") }

    static func noFiles(_ limit: Int, workers: Int) -> Self {
        invalid(
            "This process may open \(limit.counted("file")). All are reserved for the program and"
                + " \(workers.counted("worker")), so none is left for clients. Allow more open files (ulimit -n), or fewer workers."
        )
    }

    static func noThreads(_ problem: String, workers: Int) -> Self {
        invalid(
            "This process cannot start the threads for a coordinator and \(workers.counted("worker")): \(problem)."
                + " Allow its user more tasks (ulimit -u), or use fewer workers."
        )
    }

    static func duplicate(_ identifier: String) -> Self {
        Self(.duplicate, "Two hosted features have the identifier \"\(identifier)\". Give each feature its own.")
    }

    /// - Parameter message: A sentence that says what is wrong, and what to choose instead.
    static func invalid(_ message: String) -> Self {
        Self(.invalid, message)
    }
}
