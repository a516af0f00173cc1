import LatticeConcurrency
import LatticeCoordinator
import LatticeProcess
import LatticeTransport

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

// swift-subprocess would do a part of this. `ChildProcess` is used instead because workers are started with it already:
// it ends the processes that have left the group of the program, finds no child of the rest of the process, and needs
// neither Foundation nor another dependency.

/// One attempt of a program in a worker.
final class ProgramAttempt: Sendable {
    private struct Outputs {
        var kept: ProgramOutputs
        var outputLines = LineSplitter()
        var errorLines = LineSplitter()
    }

    private let job: ProgramJob
    private let context: JobContext
    private let program = ProgramRun()
    private let outputs: Locked<Outputs>

    init(_ job: ProgramJob, _ context: JobContext) {
        self.job = job
        self.context = context
        outputs = Locked(Outputs(kept: ProgramOutputs(maximumOutputBytes: job.maximumOutputBytes)))
    }

    func run() async throws -> ProgramResult {
        guard let path = ProgramRun.executable(named: job.program, in: job.environment["PATH"]) else {
            throw ProgramError.notFound(job.program)
        }
        var program = Program(path: path, arguments: [job.program] + job.arguments, environment: job.environment)
        program.directory = job.directory
        // A signal that is sent before the program runs is not lost.
        context.startsProgram { [program = self.program] in program.signal(SIGKILL) }
        let end: ChildProcess.End
        do {
            end = try await withTaskCancellationHandler {
                try Task.checkCancellation()
                return try await self.program.run(program, input: input, output: output) { [context] process in
                    context.started(process: process)
                } onOutput: { stream, bytes in
                    self.received(bytes, from: stream)
                }
            } onCancel: {
                cancel()
            }
        } catch let error as TransportError {
            throw ProgramError.notStarted(error.message)
        }
        endLines()
        return try result(of: end)
    }

    private func result(of end: ChildProcess.End) throws -> ProgramResult {
        let kept = outputs.withLock(\.kept)
        if case .exited(let code) = end, job.successCodes.contains(code) {
            return ProgramResult(
                exitCode: code,
                output: kept.output.bytes,
                omittedOutputBytes: kept.output.omitted,
                error: kept.error.bytes,
                omittedErrorBytes: kept.error.omitted,
                cpuTime: program.cpuTime
            )
        }
        try Task.checkCancellation()
        switch end {
        case .exited(let code): throw ProgramError.exited(job.program, code, kept)
        case .signaled(let number): throw ProgramError.signaled(job.program, number, kept)
        case .unknown(let loss): throw ProgramError.statusLost(job.program, "\(loss)", kept)
        }
    }

    private func cancel() {
        program.signal(SIGTERM)
        // Before the pool ends the worker, which can then run the next job.
        TimerThread.shared.after(context.gracePeriod * 3 / 4) { [program] in
            Task(executorPreference: ThreadPool.shared) { program.signal(SIGKILL) }
        }
    }

    // MARK: Streams

    private var input: ProgramRun.Input {
        switch job.input {
        case .empty: .empty
        case .bytes(let bytes): .bytes(bytes)
        case .file(let path): .file(path)
        }
    }

    private var output: ProgramRun.Output {
        switch job.output {
        case .result: .read
        case .discarded: .discarded
        case .file(let path): .file(path)
        }
    }

    private func received(_ bytes: UnsafeRawBufferPointer, from stream: ProgramRun.Stream) {
        context.showsLife()
        outputs.withLock { outputs in
            switch stream {
            case .output:
                outputs.kept.output.add(bytes)
                outputs.outputLines.feed(bytes) { context.printed($0, to: .output) }
            case .error:
                outputs.kept.error.add(bytes)
                outputs.errorLines.feed(bytes) { context.printed($0, to: .error) }
            }
        }
    }

    private func endLines() {
        outputs.withLock { outputs in
            outputs.outputLines.end { context.printed($0, to: .output) }
            outputs.errorLines.end { context.printed($0, to: .error) }
        }
    }
}

/// What is kept of the outputs of a program.
struct ProgramOutputs: Sendable {
    var output: KeptOutput
    var error = KeptOutput(maximum: ProgramJob.maximumErrorBytes, keepsEnd: true)

    init(maximumOutputBytes: Int) {
        output = KeptOutput(maximum: max(0, maximumOutputBytes), keepsEnd: false)
    }
}

/// The first or the last bytes of an output.
struct KeptOutput: Sendable {
    let maximum: Int
    let keepsEnd: Bool
    private var kept: [UInt8] = []
    /// The number of all bytes.
    private var count = 0

    init(maximum: Int, keepsEnd: Bool) {
        self.maximum = maximum
        self.keepsEnd = keepsEnd
    }

    /// The bytes that are kept.
    var bytes: [UInt8] { keepsEnd ? kept.suffix(maximum) : kept }
    /// The number of bytes that are not.
    var omitted: Int { count - min(count, maximum) }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        count += bytes.count
        guard keepsEnd else { return kept.append(contentsOf: bytes.prefix(maximum - kept.count)) }
        kept.append(contentsOf: bytes.suffix(maximum))
        // Removing at twice the size makes each byte move once at most.
        if kept.count > 2 * maximum { kept.removeFirst(kept.count - maximum) }
    }
}
