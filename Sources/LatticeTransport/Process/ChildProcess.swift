import CLatticeSystem
import LatticeConcurrency

/// A program that this process started, as the leader of a process group of its own.
///
/// A thread of its own starts it and waits for its end, by its process identifier, so that no other child of this
/// process is taken. When the program has ended, its group is killed before it is taken out of the process table, so
/// that the group's number cannot belong to anybody else by then; after that whatever else it started, on Linux: what
/// is in its cgroup, where it has one, and what is recognised by its lineage.
package final class ChildProcess: Sendable {
    /// How a program ended.
    package enum End: Sendable, Equatable {
        case exited(Int32)
        case signaled(Int32)
        /// Nothing has its exit status.
        case unknown(StatusLoss)
    }

    /// Why it is not known how a program ended.
    package enum StatusLoss: Sendable, Equatable, CustomStringConvertible {
        /// The system kept no status. Each start changes that; something has changed it back since.
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

    /// What the program gets as its standard input, output and error, and perhaps as its ``TurnRecord``. Closed here
    /// once it has them.
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
        /// With the last signal that was sent meanwhile: the program gets it when it is there.
        case notStarted(signal: Int32?)
        case running(Int32)
        case ended(cpuTime: Duration, wasOutOfMemory: Bool)
    }

    private let state = Locked(State.notStarted(signal: nil))

    package init() {}

    /// Starts the program. Called once.
    ///
    /// - Parameters:
    ///   - onStart: Called with the process identifier when it runs, on a thread of the child's own.
    ///   - onEnd: Called once, on that thread or before this returns: with the end, when nothing of the program is
    ///     left, or with the reason for which it was not started.
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

    /// Sends a signal to the program and to its group, as soon as it runs, unless it has ended.
    package func signal(_ number: Int32) {
        state.withLock { state in
            switch state {
            case .notStarted: state = .notStarted(signal: number)
            // Under the lock: the number stays the program's until it is taken out of the process table.
            case .running(let process): kill(-process, number)
            case .ended: break
            }
        }
    }

    /// For how long the program has computed itself, once it has ended; 0 where the system does not say.
    package var cpuTime: Duration { state.withLock { if case .ended(let time, _) = $0 { time } else { .zero } } }

    /// Whether it, or something that it started, was ended by the system since they had too much memory together.
    package var wasOutOfMemory: Bool { state.withLock { if case .ended(_, let was) = $0 { was } else { false } } }

    /// Waits for the end of the program, and ends what it leaves behind.
    private func follow(_ started: Started, _ group: ControlGroup?) -> End {
        var end = lattice_end()
        let isKnown = lattice_wait_end(started.process, &end) == 0
        let loss = lattice_keeps_statuses() == 1 ? StatusLoss.taken : .ignored
        // Before it is reaped: until then nothing else has its number. One that is reaped already gets no signal later.
        kill(-started.process, SIGKILL)
        if !isKnown { state.withLock { $0 = .ended(cpuTime: .zero, wasOutOfMemory: false) } }
        // To see what is left files have to be opened, which this process may have none left for.
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

/// A program to be started, with what it is given.
package struct Program: Sendable {
    static let lineageName = "LATTICE_LINEAGE"

    package var path: String
    /// With its own name first.
    package var arguments: [String]
    /// Variables that it has besides those of this process, or with other values.
    package var environment: [String: String]
    /// Marks it and all that it starts, in a variable that they would have to take out of their environment to be rid
    /// of it: what carries that is killed when the program has ended. It tells one life of one program from all others,
    /// and is no secret.
    package var lineage: String?
    /// What it may use, and each of those that it starts.
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
