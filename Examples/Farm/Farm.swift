import ArgumentParser
import ExampleSupport
import LatticeActors
import LatticeCoordinator
import LatticeJobs
import LatticeWorker

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Runs a command or a Swift job for each file. The program is also the worker of its jobs.
@main struct Farm: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "farm",
        abstract: "Runs a command for each file, several at a time, with limits and retries.",
        discussion: """
            Example: farm -j 4 --time 60 --retries 2 'xz -9k {}' *.log

            A shell runs the command. {} stands for the file, whatever name it has, and needs no \
            quotes. Without {} the file is the last argument. With --count, a Swift job counts the lines of each \
            file instead, and no command is given.

            On a terminal you control the farm with a letter and return: p pauses, r resumes, \
            and c 3 cancels the third file. Ctrl-C cancels all.

            Exit codes: 0 all succeeded, 1 some did not, 64 wrong usage, 130, 143 and 129 ended \
            by SIGINT, SIGTERM and SIGHUP.
            """
    )

    @Option(name: .shortAndLong, help: "The number of jobs at a time, 1 to \(WorkerGroup.maximumWorkers).")
    var jobs = min(max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))), WorkerGroup.maximumWorkers)
    @Option(help: "The number of times that a failed job runs again.")
    var retries = 0
    @Option(help: "The maximum time of an attempt in seconds.")
    var time: Double?
    @Option(help: "The maximum memory of a job and its worker in MiB.")
    var memory: Int?
    @Option(help: "The maximum time without output or other progress in seconds.")
    var silence: Double?
    @Flag(help: "Count the lines of each file with a Swift job.")
    var count = false
    @Flag(help: "Read p, r and c from standard input although it is no terminal.")
    var control = false
    @Argument(help: "The command, unless --count is given, and then the files.")
    var words: [String]

    private static let group = "farm"
    /// The longest limit: about 30 years.
    private static let maximumSeconds = 1e9
    /// The largest limit of memory: 1 EiB.
    private static let maximumMegabytes = 1 << 40

    static func main() async {
        guard let worker = Worker.launchedBySupervisor() else { return await main(nil) }
        do {
            try LatticeActorSystem(worker).host(jobs: CountLines.self, in: worker.group)
            try await worker.run()
        } catch {
            Console.error.say("farm worker: \(error)")
            exit(withError: ExitCode(1))
        }
    }

    func validate() throws {
        guard 1...WorkerGroup.maximumWorkers ~= jobs, 0..<JobRetries.maximumAttempts ~= retries else {
            throw ValidationError(
                "use 1 to \(WorkerGroup.maximumWorkers) jobs, and 0 to \(JobRetries.maximumAttempts - 1) retries"
            )
        }
        // A number that is not finite is in no range.
        for (name, seconds, least) in [("time", time, 0.01), ("silence", silence, 0.25)] {
            guard let seconds, !(least...Self.maximumSeconds ~= seconds) else { continue }
            throw ValidationError("use \(least) to \(Int(Self.maximumSeconds)) seconds for --\(name)")
        }
        if let memory, !(1...Self.maximumMegabytes ~= memory) {
            throw ValidationError("use 1 to \(Self.maximumMegabytes) MiB for --memory")
        }
        if !count { _ = try Command(words[0]) }
    }

    func run() async throws {
        let signals = await Signals.trap()
        Console.survivePipes()
        var settings = CoordinatorConfiguration.job("farm")
        settings.groups = [WorkerGroup(Self.group, workers: jobs)]
        let pool = JobPoolConfiguration(maximumWaiting: max(1, words.count), options: options)
        let isControlled = control || isatty(STDIN_FILENO) == 1
        let code = try await withCoordinator(configuration: settings) { [words, count] coordinator in
            let system = LatticeActorSystem(coordinator)
            return try await system.withJobPool(of: Self.group, in: coordinator, configuration: pool) { farm in
                if count {
                    let run = try FarmRun(words, farm) {
                        CountLines(path: $0)
                    } show: { file, result in
                        if case .success(let lines) = result { Console.output.say("\(lines) \(file)") }
                    }
                    return await run.finish(signals, isControlled: isControlled)
                }
                let command = try Command(words[0])
                let run = try FarmRun(Array(words.dropFirst()), farm) {
                    Self.job(command, $0)
                } show: { file, result in
                    Self.show(result, of: file)
                }
                return await run.finish(signals, isControlled: isControlled)
            }
        }
        await signals.release()
        // After a signal, nothing waits for the reader of the output.
        if code <= 1 { try Console.output.finish { StatusLine.sayNotWritten($0, by: "farm") } }
        if code != 0 { throw ExitCode(code) }
    }

    private var options: JobOptions {
        let limits = JobLimits(
            wallTime: time.map { .seconds($0) },
            memoryBytes: memory.map { $0 << 20 },
            silence: silence.map { .seconds($0) }
        )
        return JobOptions(limits: limits, retries: JobRetries(attempts: retries + 1, maximumEndedWorkers: retries + 1))
    }

    private static func job(_ command: Command, _ file: String) -> ProgramJob {
        var job = ProgramJob.shell(command.line(withFileIn: "FILE"))
        job.environment["FILE"] = file
        job.maximumOutputBytes = 32 << 20
        return job
    }

    /// Writes what a command has written, also if it failed.
    private static func show(_ result: Result<ProgramResult, any Error>, of file: String) {
        switch result {
        case .success(let end): show(end.output, end.omittedOutputBytes, end.errorText, end.omittedErrorBytes, file)
        case .failure(let error):
            guard let end = (error as? JobError)?.cause as? LatticeJobs.ProgramError else { return }
            show(end.output, end.omittedOutputBytes, end.errorText, end.omittedErrorBytes, file)
        }
    }

    private static func show(_ output: [UInt8], _ omitted: Int, _ error: String, _ omittedError: Int, _ file: String) {
        Console.output.write(output)
        Console.output.put("")
        if omitted > 0 { StatusLine.say("farm: \(file): The last \(omitted) bytes of output were left out.") }
        if omittedError > 0 {
            StatusLine.say("farm: \(file): The first \(omittedError) bytes of errors were left out.")
        }
        Console.error.put(error)
    }
}

/// A Swift job that counts the lines of a file.
struct CountLines: Job {
    static let name = "count-lines"
    var path: String

    func run(in context: JobContext) async throws -> Int {
        guard let file = fopen(path, "r") else { throw ExampleSupport.ProgramError("\(path) cannot be opened") }
        defer { fclose(file) }
        var (lines, bytes) = (0, Int64(0))
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            try Task.checkCancellation()
            let count = fread(&buffer, 1, buffer.count, file)
            guard count > 0 else { break }
            lines += buffer.prefix(count).count { $0 == UInt8(ascii: "\n") }
            bytes += Int64(count)
            context.report(completedUnits: bytes)
        }
        guard ferror(file) == 0 else { throw ExampleSupport.ProgramError("\(path) cannot be read") }
        return lines
    }
}
