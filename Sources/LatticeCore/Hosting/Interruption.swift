#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The end of a worker while an event that it had applied was still running.
public struct Interruption: Error, Sendable, Hashable, Codable, CustomStringConvertible {
    /// How the worker ended.
    public enum Cause: Sendable, Hashable {
        case exit(code: Int32)
        case signal(Int32)
        /// It stopped answering and was ended by its supervisor.
        case hang
        /// It passed the limit with this name, such as "memory".
        case limit(String)
        /// The connection to it was lost; what became of it is not known.
        case disconnected
        /// It could not be started, since descriptors, processes, threads or memory were lacking. It is tried again
        /// until there is room.
        case lackOfResources(String)
        /// Its group, which has this name, ended it in order: another worker of the group ended, or the group was given
        /// up. Features are asked for their recovery as after every other end.
        case group(String)
        /// It ended, and its exit status was lost, for this reason: SIGCHLD is ignored in the coordinator's process, or
        /// something else there has waited for the worker. It counts as the worker's own doing.
        case statusLost(String)
        /// What only a later version of the coordinator knows: its number there, and its sentence.
        case other(number: UInt64, sentence: String)
    }

    /// How the worker ended.
    public let cause: Cause
    /// The life of the worker that ended.
    public let incarnation: UInt64
    /// The effects that ran there and have a name to be recovered by, each name once, in the order of their names. Only
    /// ``HostedFeature/recovery(from:in:)`` is told them.
    public let effects: [InterruptedEffect]
    /// What else is known of its end; nil in clients, unless the coordinator allows that they are told. Left out of
    /// comparisons.
    public let report: CrashReport?

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

    public static func == (lhs: Self, rhs: Self) -> Bool {
        (lhs.cause, lhs.incarnation) == (rhs.cause, rhs.incarnation) && lhs.effects == rhs.effects
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(cause)
        hasher.combine(incarnation)
        hasher.combine(effects)
    }

    public var description: String { "\(cause) (incarnation \(incarnation))" }
}

extension Interruption.Cause {
    /// It had more memory than it may.
    package static let memory = limit("memory")
    /// It computed for longer than it may.
    package static let cpuTime = limit("CPU time")
    /// A turn took too long.
    package static let turn = limit("turn")
    /// A call of an actor had no answer for too long.
    package static let call = limit("call")

    /// Whether what the worker did is why it ended, and not somebody who sent it a signal that asks for that, or the
    /// end of its connection, after which it leaves with code 0. A kernel that is out of memory sends SIGKILL, so that
    /// looks like somebody. True also where the exit status was lost: else an event that ends each worker would be
    /// tried for ever.
    public var isWorkersOwn: Bool {
        switch self {
        case .signal(let number): ![SIGHUP, SIGINT, SIGKILL, SIGQUIT, SIGTERM].contains(number)
        case .exit(let code): code != 0
        case .hang, .limit, .statusLost: true
        case .disconnected, .lackOfResources, .group, .other: false
        }
    }
}

extension Interruption.Cause: CustomStringConvertible {
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
        case .other(let number, let sentence): sentence.isEmpty ? "ended by cause \(number)" : sentence
        }
    }
}

extension Interruption.Cause: Codable {
    private enum CodingKeys: String, CodingKey {
        case kind, number, name, sentence
    }

    // The numbers travel: never change one, never use one again.
    private enum Kind: UInt8, Codable {
        case exit = 1
        case signal = 2
        case hang = 3
        case limit = 4
        case disconnected = 5
        case lackOfResources = 6
        case group = 7
        case statusLost = 8
    }

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
        case nil:
            let sentence = try container.decodeIfPresent(String.self, forKey: .sentence)
            self = .other(number: number, sentence: sentence ?? "")
        }
    }

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
        case .other(let number, let sentence):
            try container.encode(number, forKey: .kind)
            try container.encode(sentence, forKey: .sentence)
        }
    }
}

/// The name of the signals that end processes, such as "SIGKILL"; nil for the others. Numbers differ by platform.
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
