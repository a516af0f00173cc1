/// A job that is a program, such as `xz` or `ffmpeg`.
///
/// ```swift
/// let result = try await farm.run(ProgramJob("xz", "-9k", path))
/// print(result.errorText)
/// ```
///
/// A worker of the pool starts the program and waits for it. Each worker runs programs without any set-up, next to the
/// jobs that it hosts. The order, limits, retries and handles are those of every job, and the end of the worker or of
/// the coordinator ends the program. The program is the leader of a process group of its own. When it has ended, or is
/// ended, no process that it started is left.
///
/// - A program that exits with a code of ``successCodes`` has a ``ProgramResult``. Every other end is a
///   ``ProgramError``, which is the `cause` of the ``JobError``.
/// - If the job is cancelled, the process group of the program gets SIGTERM. After three quarters of the grace period
///   of its limits it gets SIGKILL.
/// - ``JobLimits/cpuTime`` and ``JobLimits/memoryBytes`` count the worker and the program, but not the processes that
///   the program starts. Each output restarts the time of ``JobLimits/silence``, also without a line break. An output
///   that goes to a file or is dropped does not.
/// - If the worker itself is killed or crashes, its processes are recognised by their cgroup, or, without one, by a
///   variable of their environment. A program that removes the variable, as `env -i` does, then outlives the worker.
public struct ProgramJob: Job, Hashable {
    /// The standard input of a program.
    public enum Input: Codable, Sendable, Hashable {
        /// Input that is empty.
        case empty
        /// These bytes. A job has at most 64 MiB altogether.
        case bytes([UInt8])
        /// The file with this path.
        case file(String)
    }

    /// The place to which a program writes its standard output.
    public enum OutputPlace: Codable, Sendable, Hashable {
        /// The result of the job, and the lines of its handle.
        case result
        /// The file with this path, which is created or emptied.
        case file(String)
        /// The output is dropped.
        case discarded
    }

    /// The name of these jobs: "lattice.program".
    public static let name = "lattice.program"
    /// The default value of ``maximumOutputBytes``: 1 MiB.
    public static var defaultMaximumOutputBytes: Int { 1 << 20 }
    /// The number of bytes of the standard error that a result or an error has, the last ones: 16 KiB.
    public static var maximumErrorBytes: Int { 16 << 10 }

    /// The name of the program, which is searched in the variable `PATH`, or its path. A relative path begins in
    /// ``directory``.
    public var program: String
    /// The arguments, without the name of the program.
    public var arguments: [String]
    /// Variables that the program has in addition to those of its worker, or with other values.
    public var environment: [String: String]
    /// The directory in which the program starts, or nil for that of its worker. Relative paths of ``input`` and
    /// ``output`` begin there.
    public var directory: String?
    /// The standard input of the program.
    public var input: Input
    /// The place to which the program writes its standard output.
    public var output: OutputPlace
    /// The number of bytes of the standard output that the result has at most, the first ones. The result says how many
    /// bytes were left out.
    public var maximumOutputBytes: Int
    /// The exit codes with which the program has succeeded.
    public var successCodes: Set<Int32>

    /// Creates a job.
    ///
    /// - Parameters:
    ///   - program: The name or the path of the program.
    ///   - arguments: The arguments, without the name of the program.
    ///   - environment: Variables that the program has in addition to those of its worker.
    ///   - directory: The directory in which the program starts, or nil for that of its worker.
    ///   - input: The standard input of the program.
    ///   - output: The place to which the program writes its standard output.
    ///   - maximumOutputBytes: The number of bytes of output that the result has at most.
    ///   - successCodes: The exit codes with which the program has succeeded.
    public init(
        _ program: String,
        arguments: [String],
        environment: [String: String] = [:],
        directory: String? = nil,
        input: Input = .empty,
        output: OutputPlace = .result,
        maximumOutputBytes: Int = ProgramJob.defaultMaximumOutputBytes,
        successCodes: Set<Int32> = [0]
    ) {
        self.program = program
        self.arguments = arguments
        self.environment = environment
        self.directory = directory
        self.input = input
        self.output = output
        self.maximumOutputBytes = maximumOutputBytes
        self.successCodes = successCodes
    }

    /// Creates a job with arguments and no other settings.
    ///
    /// - Parameters:
    ///   - program: The name or the path of the program.
    ///   - arguments: The arguments, without the name of the program.
    public init(_ program: String, _ arguments: String...) {
        self.init(program, arguments: arguments)
    }

    /// Creates a job that runs a command line with `/bin/sh`, for pipes and redirections.
    ///
    /// The shell interprets the whole text. Pass names of files as variables of ``environment`` instead of inserting
    /// them into the command.
    public static func shell(_ command: String) -> ProgramJob {
        ProgramJob("/bin/sh", "-c", command)
    }

    /// Starts the program and waits for its end.
    ///
    /// - Throws: ``ProgramError`` if the program does not succeed. `CancellationError` if the job was cancelled.
    public func run(in context: JobContext) async throws -> ProgramResult {
        try await ProgramAttempt(self, context).run()
    }
}

/// What a program that succeeded has left.
public struct ProgramResult: Codable, Sendable, Hashable {
    /// The exit code, which is one of ``ProgramJob/successCodes``.
    public let exitCode: Int32
    /// The first bytes of the standard output, at most ``ProgramJob/maximumOutputBytes``. The array is empty if the
    /// output went elsewhere.
    public let output: [UInt8]
    /// The number of bytes of output that were left out, because there were too many.
    public let omittedOutputBytes: Int
    /// The last bytes of the standard error, at most ``ProgramJob/maximumErrorBytes``.
    public let error: [UInt8]
    /// The number of bytes of the standard error that were left out, because there were too many.
    public let omittedErrorBytes: Int
    /// The CPU time of the program, without the processes that it started.
    public let cpuTime: Duration

    /// The output as text. Bytes that are not UTF-8 are replaced.
    public var outputText: String { String(decoding: output, as: UTF8.self) }
    /// The standard error as text. Bytes that are not UTF-8 are replaced.
    public var errorText: String { String(decoding: error, as: UTF8.self) }
}
