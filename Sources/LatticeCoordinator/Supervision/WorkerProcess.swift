import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeProcess
import LatticeSession
import LatticeTransport

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A launcher that starts workers as local processes, reads their output, and waits for their ends.
struct WorkerProcess: WorkerLauncher {
    /// How long to wait after the worker's end for its last output. Another process may keep the output open.
    private static let outputTimeout: Duration = .milliseconds(100)
    /// The maximum delay in milliseconds between dropping output lines and logging how many were dropped.
    private static let dropNoticeDelay: Int64 = 1_000

    let executable: WorkerExecutable
    let arguments: [String]
    let environment: [String: String]
    /// The name of the group that the worker is given, or an empty string for none.
    let group: String
    let teardownTimeout: Duration
    /// The maximum time for writing a crash report.
    let backtraceTimeout: Duration
    /// Returns the limits of the next worker. They may change between two starts.
    let limits: @Sendable () -> WorkerLimits
    let reactor: Reactor
    /// Returns the lowest level that the coordinator logs, by its name in swift-log. It may change between two starts.
    let logLevel: @Sendable () -> String
    /// The worker in the supervision tree.
    let member: RuntimeEvent.Member
    let events: RuntimeEvents

    /// Runs a worker until its process has been removed from the process table, together with the processes that it
    /// started.
    ///
    /// The worker's end of the connection is its standard input. When the worker is to stop, it has `teardownTimeout`
    /// to leave on its own. Then it gets SIGTERM and, after the same time, SIGKILL. Each signal is sent to its whole
    /// process group.
    func run(
        _ launch: LaunchVariable,
        configureProgram: (@Sendable (inout Program) -> Void)?,
        stop: OneShot<Void>,
        onStart: @escaping @Sendable (StartedWorker) -> Void
    ) async throws(TransportError) -> Interruption.Cause {
        let (connection, socket) = try SocketConnection.pair(reactor: reactor)
        let output = try PipeReader.pipe(reactor: reactor)
        let error = try PipeReader.pipe(reactor: reactor)
        let turns = try TurnRecord.make()
        let streams = ChildProcess.Streams(
            input: socket,
            output: output.writing,
            error: error.writing,
            record: turns?.shared
        )
        let (outputEnded, errorEnded) = (OneShot<Void>(), OneShot<Void>())
        let child = ChildProcess()
        let limits = limits()
        let memory = MemoryWatch(limits, eventLoop: reactor)
        let tail = OutputTail()
        var program = program(launch)
        program.limits = limits.ofProcess
        if turns != nil { program.environment[TurnRecord.variable] = "\(TurnRecord.descriptor)" }
        configureProgram?(&program)
        let end = await withTaskGroup(of: Void.self) { group in
            group.addTask { await tearDown(child, when: stop) }
            let end = await withCheckedContinuation { waiter in
                child.start(program, streams) { process in
                    let worker = self.worker(process, launch.incarnation)
                    read(output.reader, at: .info, from: worker, outputEnded)
                    read(error.reader, at: .notice, from: worker, errorEnded, tail, turns?.record)
                    watch(memory, of: worker, child)
                    var started = StartedWorker(processID: process, connection: connection) { child.signal($0) }
                    started.output = tail
                    started.turns = turns?.record
                    started.limits = limits
                    onStart(started)
                } onEnd: {
                    waiter.resume(returning: $0)
                }
            }
            group.cancelAll()
            return end
        }
        let hadTooMuchMemory = memory.end() || child.wasOutOfMemory
        let cause = limits.cause(
            of: try end.get(),
            after: child.cpuTime,
            hadTooMuchMemory: hadTooMuchMemory,
            wasOverdue: turns?.record.isOverdue ?? false
        )
        for (reader, ended) in [(output.reader, outputEnded), (error.reader, errorEnded)] {
            await ended.wait(atMost: Self.outputTimeout)
            reader.close()
        }
        // The process started but could not begin to work. This is treated as a lack of resources.
        if let lack = turns?.record.lack.map(TransportError.workerLacks), lack.isLackOfResources { throw lack }
        return cause
    }

    private func program(_ launch: LaunchVariable) -> Program {
        var environment = environment
        environment[LaunchVariable.name] = launch.text
        environment[LaunchVariable.groupName] = group
        environment[LaunchVariable.logLevelName] = logLevel()
        return Program(
            path: executable.start,
            arguments: [executable.path] + arguments,
            environment: environment,
            lineage: String(UInt128.random(in: 0...(.max)), radix: 16)
        )
    }

    private func worker(_ process: Int32, _ incarnation: UInt64) -> RuntimeEvent.Worker {
        RuntimeEvent.Worker(member: member, incarnation: incarnation, processID: process)
    }

    private func watch(_ watch: MemoryWatch, of worker: RuntimeEvent.Worker, _ child: ChildProcess) {
        guard let process = worker.processID else { return }
        let memory = ProcessMemory(of: process)
        watch.start {
            memory.bytes()
        } onPassed: { [events] bytes, limit in
            child.signal(SIGKILL)
            events.emit(.workerKilled, .workerKilled(worker, .memory(bytes: bytes, limit: limit)))
        }
    }

    private func read(
        _ reader: PipeReader,
        at level: RuntimeEvent.Level,
        from worker: RuntimeEvent.Worker,
        _ ended: OneShot<Void>,
        _ tail: OutputTail? = nil,
        _ turns: TurnRecord? = nil
    ) {
        let output = WorkerOutput(
            of: worker,
            to: events,
            at: level,
            keepingIn: tail,
            reportTimeout: backtraceTimeout
        ) {
            guard let turns else { return true }
            // A crash is recorded before its report is written. A crash before the first turn may be older than the
            // record.
            return turns.crash != nil || turns.number == 0
        } later: { [reactor] work in
            reactor.after(milliseconds: Self.dropNoticeDelay, work)
        }
        reader.start {
            output.received($0)
        } onEnd: {
            output.ended($0)
            ended.complete()
        }
    }

    /// Sends the signals, each after its delay. A worker that has ended gets none.
    private func tearDown(_ child: ChildProcess, when stop: OneShot<Void>) async {
        // A cancellation means that the worker has ended or that it must not get time to leave on its own.
        let isAsked = (try? await stop.value) != nil
        let limit = teardownTimeout.milliseconds
        reactor.execute { [reactor] in
            reactor.after(milliseconds: isAsked ? limit : 0) {
                child.signal(SIGTERM)
                reactor.after(milliseconds: limit) { child.signal(SIGKILL) }
            }
        }
    }
}
