import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTransport
import Logging

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Starts worker processes, reads their output, and waits for their ends.
struct WorkerProcess: WorkerLauncher {
    /// How long, after the worker's end, what it wrote last is waited for: somebody else may hold its output open.
    private static let outputTimeout: Duration = .milliseconds(100)
    /// How many milliseconds after lines were dropped that is told at the latest.
    private static let dropsToldAfter: Int64 = 1_000

    let executable: WorkerExecutable
    let arguments: [String]
    let environment: [String: String]
    /// What the worker hears its group is called; empty for none.
    let group: String
    let teardownTimeout: Duration
    /// How long the report of a crash may take.
    let backtraceTimeout: Duration
    let limits: WorkerLimits
    let reactor: Reactor
    /// Where the worker's output goes.
    let logger: Logger
    /// For what the coordinator itself has to say.
    let ownLogger: Logger

    /// Runs a worker until it has ended and is gone from the process table, and with it what it started.
    ///
    /// Its end of the connection is its standard input. When it is to stop it has `teardownTimeout` to leave by itself,
    /// then gets SIGTERM, then SIGKILL, each for its whole process group.
    func run(
        _ launch: LaunchVariable,
        disguise: (@Sendable (inout Program) -> Void)?,
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
        let memory = MemoryWatch(limits, eventLoop: reactor)
        let tail = OutputTail()
        var program = program(launch)
        if turns != nil { program.environment[TurnRecord.variable] = "\(TurnRecord.descriptor)" }
        disguise?(&program)
        let end = await withTaskGroup(of: Void.self) { group in
            group.addTask { await tearDown(child, when: stop) }
            let end = await withCheckedContinuation { waiter in
                child.start(program, streams) { process in
                    read(output.reader, at: .info, from: process, launch.incarnation, outputEnded)
                    read(error.reader, at: .notice, from: process, launch.incarnation, errorEnded, tail, turns?.record)
                    watch(memory, of: process, child)
                    var worker = StartedWorker(processID: process, connection: connection) { child.signal($0) }
                    worker.output = tail
                    worker.turns = turns?.record
                    onStart(worker)
                } onEnd: {
                    waiter.resume(returning: $0)
                }
            }
            group.cancelAll()
            return end
        }
        let hadTooMuchMemory = memory.end() || child.wasOutOfMemory
        let cause = limits.cause(of: try end.get(), after: child.cpuTime, hadTooMuchMemory: hadTooMuchMemory)
        for (reader, ended) in [(output.reader, outputEnded), (error.reader, errorEnded)] {
            await ended.wait(atMost: Self.outputTimeout)
            reader.close()
        }
        // It was there, and could not begin: as good as one for which there was no room.
        if let lack = turns?.record.lack.map(TransportError.workerLacks), lack.isLackOfResources { throw lack }
        return cause
    }

    private func program(_ launch: LaunchVariable) -> Program {
        var environment = environment
        environment[LaunchVariable.name] = launch.text
        environment[LaunchVariable.groupName] = group
        environment[LaunchVariable.logLevelName] = logger.logLevel.rawValue
        var program = Program(
            path: executable.start,
            arguments: [executable.path] + arguments,
            environment: environment,
            lineage: String(UInt128.random(in: 0...(.max)), radix: 16)
        )
        program.limits = limits.ofProcess
        return program
    }

    private func watch(_ watch: MemoryWatch, of process: Int32, _ child: ChildProcess) {
        let memory = ProcessMemory(of: process)
        watch.start {
            memory.bytes()
        } onPassed: { [ownLogger] bytes, limit in
            child.signal(SIGKILL)
            ownLogger.warning("worker \(process) has \(bytes) bytes of memory, may have \(limit), and is ended")
        }
    }

    private func read(
        _ reader: PipeReader,
        at level: Logger.Level,
        from process: Int32,
        _ incarnation: UInt64,
        _ ended: OneShot<Void>,
        _ tail: OutputTail? = nil,
        _ turns: TurnRecord? = nil
    ) {
        var logger = logger
        logger[metadataKey: "worker"] = "\(process)"
        logger[metadataKey: "incarnation"] = "\(incarnation)"
        let output = WorkerOutput(
            to: logger,
            at: level,
            keepingIn: tail,
            reportTimeout: backtraceTimeout
        ) {
            guard let turns else { return true }
            // A crash is noted before it is reported. One before the first turn may be older than the record.
            return turns.crash != nil || turns.number == 0
        } later: { [reactor] work in
            reactor.after(milliseconds: Self.dropsToldAfter, work)
        }
        reader.start {
            output.received($0)
        } onEnd: {
            output.ended($0)
            ended.complete()
        }
    }

    /// The signals, each after its time. A worker that has ended gets none.
    private func tearDown(_ child: ChildProcess, when stop: OneShot<Void>) async {
        // Cancelled: either the worker has ended, or nobody waits for it to leave by itself.
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
