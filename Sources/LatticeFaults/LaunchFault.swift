import LatticeProcess

/// A fault at one start of a worker.
public struct LaunchFault: Sendable, Hashable, Codable {
    /// The program that is started in place of the worker, or in addition to it.
    public enum Kind: Sendable, Hashable, Codable {
        /// The process exits immediately with this code, before it has sent anything.
        case exit(code: Int)
        /// The process is ended immediately by a signal (SIGSEGV).
        case crash
        /// The process never sends its hello, and ignores SIGTERM.
        case hang
        /// The worker serves, after it has started another process that keeps its connection and its output open. That
        /// process has its own session (setsid(1)) if the system has that program.
        case grandchild
        /// The worker serves, after it has written this number of bytes to its standard error.
        case chatter(bytes: Int)
        /// The worker may open at most this number of descriptors, and serves if that is enough.
        case descriptors(limit: Int)
    }

    /// The number of the start. The first one is 0.
    public let start: Int
    /// The kind of the fault.
    public let kind: Kind

    /// Creates a fault at a start.
    public init(start: Int, _ kind: Kind) {
        self.start = start
        self.kind = kind
    }
}

extension LaunchFault.Kind {
    /// A Boolean value that indicates whether the worker is started nevertheless.
    var startsWorker: Bool {
        switch self {
        case .exit, .crash, .hang: false
        case .grandchild, .chatter, .descriptors: true
        }
    }
}

extension LaunchFault {
    /// Changes a program to a shell script with the fault. The script then starts the original program if the worker is
    /// to serve.
    func apply(to program: inout Program) {
        program.arguments = ["sh", "-c", script, program.path] + program.arguments.dropFirst()
        program.path = "/bin/sh"
    }

    private var script: String {
        let worker = #"exec "$0" "$@""#
        return switch kind {
        case .exit(let code): "exit \(code & 0xff)"
        case .crash: "kill -SEGV $$"
        case .hang: "trap '' TERM; exec sleep 86400"
        // A shell without job control gives background processes another standard input, so it is passed explicitly.
        case .grandchild:
            "if command -v setsid >/dev/null; then setsid sleep 86400 <&0 & else sleep 86400 <&0 & fi; \(worker)"
        case .chatter(let bytes): "head -c \(max(bytes, 0)) /dev/zero | tr '\\0' x >&2; echo >&2; \(worker)"
        case .descriptors(let limit): "ulimit -n \(max(limit, 0)); \(worker)"
        }
    }
}

extension LaunchFault: CustomStringConvertible {
    /// A phrase with the start and the fault, such as "start 2: the worker crashes".
    public var description: String {
        switch kind {
        case .exit(let code): "start \(start): the worker exits with code \(code)"
        case .crash: "start \(start): the worker crashes"
        case .hang: "start \(start): the worker hangs before it says hello"
        case .grandchild: "start \(start): the worker leaves a process that holds its connection"
        case .chatter(let bytes): "start \(start): the worker writes \(bytes) bytes to its standard error"
        case .descriptors(let limit): "start \(start): the worker may have \(limit) descriptors open"
        }
    }
}
