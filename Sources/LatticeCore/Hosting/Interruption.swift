#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The termination of a worker while the effects of an applied event were running.
public struct Interruption: Error, Sendable, Hashable, Codable, CustomStringConvertible {
    /// How a worker ended.
    public enum Cause: Sendable, Hashable {
        /// The worker exited with a code.
        case exit(code: Int32)
        /// The worker was killed by a signal with this number.
        case signal(Int32)
        /// The worker stopped responding, and its supervisor terminated it.
        case hang
        /// The worker exceeded the limit with this name, such as "memory".
        case limit(String)
        /// The connection to the worker was lost. The state of the worker is unknown.
        case disconnected
        /// The worker could not be started because file descriptors, processes, threads or memory were exhausted. The
        /// supervisor tries again until resources are available.
        case lackOfResources(String)
        /// The group with this name terminated the worker in an orderly way, because another worker of the group ended
        /// or the supervisor gave up on the group. Features are asked for their recovery as after any other
        /// termination.
        case group(String)
        /// The worker ended, but its exit status was lost for the given reason. Either SIGCHLD is ignored in the
        /// coordinator's process, or other code there has waited for the worker. It counts as the worker's own fault.
        case statusLost(String)
        /// A tool, such as `latticectl`, asked the coordinator to restart or drain the worker. The text names the
        /// process that asked. Features are asked for their recovery as after any other termination.
        case requested(by: String)
        /// A cause that only a later version of the coordinator knows: its number and its message in that version.
        case other(number: UInt64, sentence: String)
    }

    /// How the worker ended.
    public let cause: Cause
    /// The incarnation of the worker that ended.
    public let incarnation: UInt64
    /// The interrupted effects that have a name and can be recovered, sorted by name, with each name once. Only
    /// ``HostedFeature/recovery(from:in:)`` receives them.
    public let effects: [InterruptedEffect]
    /// Further information about the crash, for diagnosis. In clients it is nil, unless the coordinator is configured
    /// to share it. It is ignored in comparisons.
    public let report: CrashReport?

    /// Creates an interruption.
    public init(
        cause: Cause,
        incarnation: UInt64,
        effects: [InterruptedEffect] = [],
        report: CrashReport? = nil
    ) {
        self.cause = cause
        self.incarnation = incarnation
        self.effects = effects
        self.report = report
    }

    /// Returns whether the causes, the incarnations and the effects are equal. The reports are ignored.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        (lhs.cause, lhs.incarnation) == (rhs.cause, rhs.incarnation) && lhs.effects == rhs.effects
    }

    /// Hashes the cause, the incarnation and the effects.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(cause)
        hasher.combine(incarnation)
        hasher.combine(effects)
    }

    /// The cause and the incarnation, such as "exited with code 1 (incarnation 3)".
    public var description: String { "\(cause) (incarnation \(incarnation))" }
}

extension Interruption.Cause {
    /// The worker exceeded its limit for memory.
    package static let memory = limit("memory")
    /// The worker exceeded its limit for CPU time.
    package static let cpuTime = limit("CPU time")
    /// A turn exceeded its time limit.
    package static let turn = limit("turn")
    /// A call of an actor exceeded its time limit.
    package static let call = limit("call")
    /// The work of an effect did not end in the grace period after its timeout.
    package static let effectTimeout = limit("effect timeout")

    /// A Boolean value that indicates whether the worker itself caused its end.
    ///
    /// The value is false if another process sent a signal that requests termination, or if the connection ended, after
    /// which a worker exits with code 0. It is false for SIGKILL as well, which the kernel sends when memory is
    /// exhausted and which cannot be told from a kill by a user. It is true if the exit status was lost. Otherwise an
    /// event that crashes every worker would be retried forever.
    public var isWorkersOwn: Bool {
        switch self {
        case .signal(let number): ![SIGHUP, SIGINT, SIGKILL, SIGQUIT, SIGTERM].contains(number)
        case .exit(let code): code != 0
        case .hang, .limit, .statusLost: true
        case .disconnected, .lackOfResources, .group, .requested, .other: false
        }
    }
}

extension Interruption.Cause: CustomStringConvertible {
    /// A predicate for a sentence about the worker, such as "killed by signal 9 (SIGKILL)".
    public var description: String {
        switch self {
        case .exit(let code): "exited with code \(code)"
        case .signal(let number): "killed by signal \(number)" + (signalName(number).map { " (\($0))" } ?? "")
        case .hang: "stopped answering"
        case .limit(let name): "passed its limit: \(name)"
        case .disconnected: "disconnected"
        case .lackOfResources(let reason): "could not be started: \(reason)"
        case .group(let name): "ended with its group \"\(name)\""
        case .statusLost(let reason): "ended, and its exit status was lost: \(reason)"
        case .requested(let requester): "ended, because \(requester) asked for it"
        case .other(let number, let sentence): sentence.isEmpty ? "ended by cause \(number)" : sentence
        }
    }
}

extension Interruption.Cause: Codable {
    private enum CodingKeys: String, CodingKey {
        case kind, number, name, sentence
    }

    // These numbers are part of the wire format. Never change a number, and never use a number again.
    private enum Kind: UInt8, Codable {
        case exit = 1
        case signal = 2
        case hang = 3
        case limit = 4
        case disconnected = 5
        case lackOfResources = 6
        case group = 7
        case statusLost = 8
        case requested = 9
    }

    /// Decodes a map that contains the number of the cause under "kind". A number that this version does not know
    /// becomes ``other(number:sentence:)``.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let number = try container.decode(UInt64.self, forKey: .kind)
        switch UInt8(exactly: number).flatMap(Kind.init) {
        case .exit: self = .exit(code: try container.decode(Int32.self, forKey: .number))
        case .signal: self = .signal(try container.decode(Int32.self, forKey: .number))
        case .hang: self = .hang
        case .limit: self = .limit(try container.decode(String.self, forKey: .name))
        case .disconnected: self = .disconnected
        case .lackOfResources: self = .lackOfResources(try container.decode(String.self, forKey: .name))
        case .group: self = .group(try container.decode(String.self, forKey: .name))
        case .statusLost: self = .statusLost(try container.decode(String.self, forKey: .sentence))
        case .requested: self = .requested(by: try container.decode(String.self, forKey: .name))
        case nil:
            let sentence = try container.decodeIfPresent(String.self, forKey: .sentence)
            self = .other(number: number, sentence: sentence ?? "")
        }
    }

    /// Encodes a map with the number of the cause under "kind", and its value under "number", "name" or "sentence".
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .exit(let code):
            try container.encode(Kind.exit, forKey: .kind)
            try container.encode(code, forKey: .number)
        case .signal(let number):
            try container.encode(Kind.signal, forKey: .kind)
            try container.encode(number, forKey: .number)
        case .hang:
            try container.encode(Kind.hang, forKey: .kind)
        case .limit(let name):
            try container.encode(Kind.limit, forKey: .kind)
            try container.encode(name, forKey: .name)
        case .disconnected:
            try container.encode(Kind.disconnected, forKey: .kind)
        case .lackOfResources(let reason):
            try container.encode(Kind.lackOfResources, forKey: .kind)
            try container.encode(reason, forKey: .name)
        case .group(let name):
            try container.encode(Kind.group, forKey: .kind)
            try container.encode(name, forKey: .name)
        case .statusLost(let reason):
            try container.encode(Kind.statusLost, forKey: .kind)
            try container.encode(reason, forKey: .sentence)
        case .requested(let requester):
            try container.encode(Kind.requested, forKey: .kind)
            try container.encode(requester, forKey: .name)
        case .other(let number, let sentence):
            try container.encode(number, forKey: .kind)
            try container.encode(sentence, forKey: .sentence)
        }
    }
}

/// Returns the name of a signal that ends processes, such as "SIGKILL", or nil for other signals. The numbers differ
/// between platforms.
func signalName(_ number: Int32) -> String? {
    switch number {
    case SIGHUP: "SIGHUP"
    case SIGINT: "SIGINT"
    case SIGQUIT: "SIGQUIT"
    case SIGILL: "SIGILL"
    case SIGTRAP: "SIGTRAP"
    case SIGABRT: "SIGABRT"
    case SIGBUS: "SIGBUS"
    case SIGFPE: "SIGFPE"
    case SIGKILL: "SIGKILL"
    case SIGUSR1: "SIGUSR1"
    case SIGSEGV: "SIGSEGV"
    case SIGUSR2: "SIGUSR2"
    case SIGPIPE: "SIGPIPE"
    case SIGALRM: "SIGALRM"
    case SIGTERM: "SIGTERM"
    case SIGXCPU: "SIGXCPU"
    case SIGXFSZ: "SIGXFSZ"
    case SIGSYS: "SIGSYS"
    default: nil
    }
}
