import CLatticeSystem
import LatticeConcurrency
package import LatticeTransport

/// A program that this process started, as the leader of a process group of its own.
///
/// A separate thread starts the program and waits for its end by its process identifier, so that it does not take any
/// other child of this process. When the program has ended, its group is killed before the program is removed from the
/// process table, so that the group's number cannot belong to another process by then. After that, on Linux, the other
/// processes that it started are killed: those in its cgroup, if it has one, and those that are recognised by its
/// lineage.
package final class ChildProcess: Sendable {
    /// The way in which a program ended.
    package enum End: Sendable, Equatable {
        /// The program exited with this code.
        case exited(Int32)
        /// This signal killed the program.
        case signaled(Int32)
        /// The exit status was lost.
        case unknown(StatusLoss)
    }

    /// The reason why it is unknown how a program ended.
    package enum StatusLoss: Sendable, Equatable, CustomStringConvertible {
        /// The system kept no status. Each start enables that, so something has disabled it since.
        case ignored
        /// Something else in this process waited for the program.
        case taken

        package var description: String {
            switch self {
            case .ignored:
                "SIGCHLD was ignored in the coordinator's process when the worker ended; leave its default, or handle it"
            case .taken:
                "something else in the coordinator's process waited for the worker, as waitpid(-1) does; wait for your"
                    + " own children by their process identifiers"
            }
        }
    }

    /// The standard input, output and error of the program, and optionally its ``TurnRecord``. The descriptors are
    /// closed in this process once the program has them.
    package struct Streams: Sendable {
        let input, output, error: OwnedDescriptor
        let record: OwnedDescriptor?

        package init(
            input: OwnedDescriptor,
            output: OwnedDescriptor,
            error: OwnedDescriptor,
            record: OwnedDescriptor? = nil
        ) {
            self.input = input
            self.output = output
            self.error = error
            self.record = record
        }

        func close() {
            for descriptor in [input, output, error, record] { descriptor?.close() }
        }
    }

    private enum State {
        /// The program is not started. The signal is the last one that was sent meanwhile, which the program receives
        /// when it runs.
        case notStarted(signal: Int32?)
        case running(Int32)
        case ended(cpuTime: Duration, wasOutOfMemory: Bool)
    }

    private let state = Locked(State.notStarted(signal: nil))

    package init() {}

    /// Starts the program. Call it once.
    ///
    /// - Parameters:
    ///   - program: The program.
    ///   - streams: The standard streams of the program.
    ///   - onStart: Called with the process identifier when the program runs, on a thread of the child's own.
    ///   - onEnd: Called once, on that thread or before this method returns. It receives the end, when no process of
    ///     the program is left, or the reason why the program was not started.
    package func start(
        _ program: Program,
        _ streams: Streams,
        onStart: @escaping @Sendable (Int32) -> Void,
        onEnd: @escaping @Sendable (Result<End, TransportError>) -> Void
    ) {
        do throws(TransportError) {
            try System.startThread(name: "lattice-child") { [self] in
                do throws(TransportError) {
                    let group = try ControlGroup.make(program.limits)
                    let started: Started
                    do throws(TransportError) {
                        started = try spawn(program, streams, group)
                    } catch {
                        group?.end()
                        throw error
                    }
                    state.withLock { state in
                        if case .notStarted(let signal?) = state { kill(-started.process, signal) }
                        state = .running(started.process)
                    }
                    onStart(started.process)
                    onEnd(.success(follow(started, group)))
                } catch {
                    streams.close()
                    onEnd(.failure(error))
                }
            }
        } catch {
            streams.close()
            onEnd(.failure(error))
        }
    }

    /// Sends a signal to the program and its group, as soon as the program runs, unless it has ended.
    package func signal(_ number: Int32) {
        state.withLock { state in
            switch state {
            case .notStarted: state = .notStarted(signal: number)
            // Under the lock, because the number belongs to the program until it is removed from the process table.
            case .running(let process): kill(-process, number)
            case .ended: break
            }
        }
    }

    /// The CPU time of the program itself, once it has ended; 0 if the system does not say.
    package var cpuTime: Duration { state.withLock { if case .ended(let time, _) = $0 { time } else { .zero } } }

    /// A Boolean value that indicates whether the system ended the program, or a process that it started, because
    /// together they had too much memory.
    package var wasOutOfMemory: Bool { state.withLock { if case .ended(_, let was) = $0 { was } else { false } } }

    /// Waits for the end of the program, and ends the processes that it leaves behind.
    private func follow(_ started: Started, _ group: ControlGroup?) -> End {
        var end = lattice_end()
        let isKnown = lattice_wait_end(started.process, &end) == 0
        let loss = lattice_keeps_statuses() == 1 ? StatusLoss.taken : .ignored
        // Before the program is reaped, because until then its number is not given to another process. A program that
        // is reaped already receives no later signal.
        kill(-started.process, SIGKILL)
        if !isKnown { state.withLock { $0 = .ended(cpuTime: .zero, wasOutOfMemory: false) } }
        // Finding the remaining processes requires opening files, for which this process may have no descriptor left.
        System.runApart {
            group?.killAll()
            if !started.isInGroup { endLineage(of: started) }
            let wasOutOfMemory = group?.wasOutOfMemory ?? false
            state.withLock { state in
                state = .ended(cpuTime: .nanoseconds(end.cpu_nanoseconds), wasOutOfMemory: wasOutOfMemory)
                if isKnown { _ = System.call { waitpid(started.process, nil, 0) } }
            }
            group?.end()
        }
        guard isKnown else { return .unknown(loss) }
        return end.signal == 0 ? .exited(end.code) : .signaled(end.signal)
    }

    private func endLineage(of started: Started) {
        started.lineage?.withCString { variable in
            var lineage = lattice_lineage()
            (lineage.variable, lineage.leader, lineage.pipes) = (variable, started.process, started.pipes)
            lattice_end_lineage(&lineage)
        }
    }
}

/// A program to start, with its arguments, environment and limits.
package struct Program: Sendable {
    static let lineageName = "LATTICE_LINEAGE"

    /// The path of the executable.
    package var path: String
    /// The arguments, beginning with the program's own name.
    package var arguments: [String]
    /// Variables that the program has in addition to those of this process, or with other values.
    package var environment: [String: String]
    /// A mark of the program and of all processes that it starts, in a variable that they would have to remove from
    /// their environment to lose it. Processes with this mark are killed when the program has ended. It distinguishes
    /// one process of one program from all others, and is not a secret.
    package var lineage: String?
    /// The name of the variable that holds the mark. A program that a worker starts has another one than its worker, so
    /// that its processes have both marks.
    package var lineageName = Program.lineageName
    /// The directory in which the program starts; nil for that of this process.
    package var directory: String?
    /// The limits of the program, and of each process that it starts.
    package var limits = ProcessLimits()

    package init(
        path: String,
        arguments: [String],
        environment: [String: String],
        lineage: String? = nil
    ) {
        self.path = path
        self.arguments = arguments
        self.environment = environment
        self.lineage = lineage
    }
}
