import LatticeTransport

/// Something that goes wrong at one start of a worker.
public struct LaunchFault: Sendable, Hashable, Codable {
    /// What is started in the worker's place, or beside it.
    public enum Kind: Sendable, Hashable, Codable {
        /// It ends at once with this code, and has said nothing.
        case exit(code: Int)
        /// It ends at once by a signal (SIGSEGV).
        case crash
        /// It never says hello, and is deaf to SIGTERM.
        case hang
        /// It serves, and has started another process before, which holds its connection and its output for ever; in a
        /// session of its own (setsid(1)) where the system has that program.
        case grandchild
        /// It serves, and writes so many bytes to its standard error first.
        case chatter(bytes: Int)
        /// It may have so many descriptors open and no more, and serves if it can.
        case descriptors(limit: Int)
    }

    /// Which start, from 0.
    public let start: Int
    public let kind: Kind

    public init(start: Int, _ kind: Kind) {
        self.start = start
        self.kind = kind
    }
}

extension LaunchFault.Kind {
    /// Whether the worker is started all the same.
    var startsWorker: Bool {
        switch self {
        case .exit, .crash, .hang: false
        case .grandchild, .chatter, .descriptors: true
        }
    }
}

extension LaunchFault {
    /// Has the shell started in place of a program, which starts that if it is to serve.
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
        // By itself a shell gives what runs in the background another standard input.
        case .grandchild:
            "if command -v setsid >/dev/null; then setsid sleep 86400 <&0 & else sleep 86400 <&0 & fi; \(worker)"
        case .chatter(let bytes): "head -c \(max(bytes, 0)) /dev/zero | tr '\\0' x >&2; echo >&2; \(worker)"
        case .descriptors(let limit): "ulimit -n \(max(limit, 0)); \(worker)"
        }
    }
}

extension LaunchFault: CustomStringConvertible {
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
