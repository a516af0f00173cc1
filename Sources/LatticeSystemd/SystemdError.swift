/// The error of a process that cannot talk to systemd.
public struct SystemdError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of a ``SystemdError``. Later versions may add codes.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name of the code, such as "invalidVariable".
        public let description: String

        /// A variable of the environment does not have the form that systemd gives it.
        public static let invalidVariable = Code(description: "invalidVariable")
        /// The socket of systemd does not take a notification.
        public static let notSent = Code(description: "notSent")
        /// The signals for the service are handled by another part of the program, or ignored.
        public static let signalsTaken = Code(description: "signalsTaken")
        /// The system has no descriptor or thread for the service.
        public static let noResources = Code(description: "noResources")
    }

    /// The kind of the error.
    public let code: Code
    /// A description of what happened and what to do about it, in full sentences.
    public let message: String

    /// The message.
    public var description: String { message }
}

// All errors are made here, so that their sentences are consistent.

extension SystemdError {
    static func invalid(_ variable: String, _ value: String, _ wanted: String) -> SystemdError {
        SystemdError(
            code: .invalidVariable,
            message: "The variable \(variable) is \"\(value)\", and must be \(wanted). systemd sets it. Unset it if the"
                + " program is not started by systemd."
        )
    }

    static func notSent(_ address: String, _ reason: String) -> SystemdError {
        SystemdError(
            code: .notSent,
            message: "The notification could not be sent to systemd at \(address): \(reason). Set NotifyAccess=main in"
                + " the unit, and do not hide the socket from the service."
        )
    }

    static func signalsTaken(_ numbers: [Int32]) -> SystemdError {
        let list = numbers.map { "\($0)" }.joined(separator: " and ")
        return SystemdError(
            code: .signalsTaken,
            message: "The program already handles or ignores \(numbers.count == 1 ? "signal" : "signals") \(list). Pass"
                + " `signals: []` to withCoordinator, and leave \(numbers.count == 1 ? "the signal" : "the signals") to"
                + " the service. Do not start the program with nohup, which makes it ignore SIGHUP."
        )
    }

    static func noResources(_ reason: String) -> SystemdError {
        SystemdError(code: .noResources, message: "The service cannot wait for signals. \(reason)")
    }
}
