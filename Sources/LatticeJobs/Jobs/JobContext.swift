import LatticeConcurrency

/// What a running job knows about itself, and how it reports progress.
///
/// All members can be used on any thread, for example in a callback of C code.
public struct JobContext: Sendable {
    /// The identity of the job in its pool.
    public let job: JobID
    /// The number of the attempt, from 1. It is greater than 1 if the job was retried. An attempt that counts for
    /// nothing, because the worker ended for another job, begins again with the same number.
    public let attempt: Int
    /// The time that the job has to end after it was cancelled.
    let gracePeriod: Duration
    private let isSilenceLimited: Bool
    private let reports: JobReports

    init(
        job: JobID,
        attempt: Int,
        gracePeriod: Duration = JobLimits.defaultGracePeriod,
        isSilenceLimited: Bool = false,
        reports: JobReports
    ) {
        self.job = job
        self.attempt = attempt
        self.gracePeriod = gracePeriod
        self.isSilenceLimited = isSilenceLimited
        self.reports = reports
    }

    /// A Boolean value that indicates whether the job was cancelled.
    ///
    /// In the task of the job, `Task.isCancelled` has the same value.
    public var isCancelled: Bool { reports.isCancelled }

    /// Reports progress.
    ///
    /// The function returns at once and may be called often. Reports are merged, and at most one is sent every 50
    /// milliseconds. What a report does not say stays as it was. Each report that is sent restarts the time of
    /// ``JobLimits/silence``.
    ///
    /// ```swift
    /// context.report(completedUnits: 40, totalUnits: 100, line: "page 40")
    /// ```
    ///
    /// - Parameters:
    ///   - fraction: The completed part of the work, from 0 to 1. By default it follows from the units.
    ///   - completedUnits: The number of completed units, such as bytes or files.
    ///   - totalUnits: The number of all units.
    ///   - line: A line of text for people, of at most 1,024 bytes. A longer line is cut off.
    public func report(
        fraction: Double? = nil,
        completedUnits: Int64? = nil,
        totalUnits: Int64? = nil,
        line: String? = nil
    ) {
        reports.add(
            JobProgress(fraction: fraction, completedUnits: completedUnits, totalUnits: totalUnits, line: line)
        )
    }
}

extension JobContext {
    /// Prints a line, which the lines of the job's handle contain.
    ///
    /// The function returns at once and may be called often. A job that prints faster than its pool receives loses
    /// lines, which ``JobOutputLine/omittedBefore`` counts. What a job prints with Swift's `print` goes to the log of
    /// the coordinator instead, as the output of its worker. Each call restarts the time of ``JobLimits/silence``.
    ///
    /// - Parameters:
    ///   - line: The line, without a line break. A line of more than ``JobOutputLine/maximumBytes`` is cut.
    ///   - stream: The stream of the line.
    public func print(_ line: String, to stream: JobOutputLine.Stream = .output) {
        showsLife()
        reports.lines.add(JobOutputLine(line, to: stream))
    }

    /// Sends a sign of life if the job has a limit of silence. Lines that wait for a reader do not reach the pool, so
    /// they cannot serve as one.
    func showsLife() {
        if isSilenceLimited { report() }
    }

    /// Passes on a line of a program.
    func printed(_ line: UnsafeRawBufferPointer, to stream: JobOutputLine.Stream) {
        reports.lines.add(line, to: stream)
    }

    /// Notes how the program of the job is ended when its worker is about to be.
    func startsProgram(_ end: @escaping @Sendable () -> Void) {
        reports.startsProgram(end)
    }

    /// Notes that the job has started a program, whose use of resources counts as the job's.
    func started(process: Int32) {
        reports.started(process)
    }
}

/// What one attempt reports, in its worker: its progress, its lines, and its program.
final class JobReports: Sendable {
    /// The program of the job.
    private enum Program {
        /// None was started.
        case none
        /// One was started, or is about to be. The closure ends it.
        case running(end: @Sendable () -> Void)
        /// The worker is about to be ended, so a program that is started from now on is ended at once.
        case unwanted
    }

    private struct State {
        var merger = ReportMerger()
        var isCancelled = false
        var program = Program.none
    }

    private let state = Locked(State())
    private let send: @Sendable (JobProgress, UInt64) async -> Void
    private let sendProcess: @Sendable (Int32) async -> Void
    let lines: JobLineSender

    /// - Parameters:
    ///   - reading: Whether the lines of the job are read.
    ///   - lines: Sends lines, and returns when they were received.
    ///   - process: Sends the process identifier of a program.
    ///   - send: Sends a report with its number.
    init(
        reading: LineReading = .now,
        lines: @escaping @Sendable ([JobOutputLine]) async -> Void = { _ in },
        process: @escaping @Sendable (Int32) async -> Void = { _ in },
        _ send: @escaping @Sendable (JobProgress, UInt64) async -> Void
    ) {
        self.lines = JobLineSender(reading, lines)
        sendProcess = process
        self.send = send
    }

    func started(_ process: Int32) {
        Task(executorPreference: ThreadPool.shared) { await self.sendProcess(process) }
    }

    func startsProgram(_ end: @escaping @Sendable () -> Void) {
        let isUnwanted = state.withLock { state in
            if case .unwanted = state.program { return true }
            state.program = .running(end: end)
            return false
        }
        if isUnwanted { end() }
    }

    /// Ends the program of the job, or the one that it starts later.
    func endProgram() {
        let program = state.withLock { state in
            defer { state.program = .unwanted }
            return state.program
        }
        if case .running(let end) = program { end() }
    }

    var isCancelled: Bool { state.withLock(\.isCancelled) }

    func cancel() {
        state.withLock { $0.isCancelled = true }
    }

    func add(_ report: JobProgress) {
        guard let delay = state.withLock({ $0.merger.add(report, at: .now) }) else { return }
        TimerThread.shared.after(delay) { [self] in
            // Sending may wait for room, and the thread of the timers must not wait.
            Task(executorPreference: ThreadPool.shared) { await self.sendNext() }
        }
    }

    private func sendNext() async {
        guard let next = state.withLock({ $0.merger.send(at: .now) }) else { return }
        await send(next.progress, next.number)
    }

    /// Ends the reports, and returns the last progress.
    func end() -> JobProgress? { state.withLock { $0.merger.end() } }
}
