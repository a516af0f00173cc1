import LatticeConcurrency

/// Sends the lines of a job to its pool, in its worker.
///
/// As long as no reader follows the job, lines are kept, and the last of them are sent before the job ends. When a
/// reader follows it, lines are sent while they are printed. Lines that arrive while others are being sent wait, and
/// are then sent together. At most one message is sent every 50 milliseconds, as for progress. If too many lines wait,
/// the oldest are left out, so a job never waits for a reader.
final class JobLineSender: Sendable {
    private enum Phase {
        /// No reader follows the job. Lines wait.
        case keeping
        /// No line waits.
        case idle
        /// A task sends lines. The value is completed when it has sent all of them.
        case sending(OneShot<Void>)
        /// The job has ended, and the task sends the rest without a pause.
        case ending(OneShot<Void>)
        /// The job has ended, or its lines have no reader. No line is sent any more.
        case ended
    }

    private struct State {
        var phase: Phase
        var waiting = KeptLines()

        /// Takes the lines to send. If there are none, the task ends, and completes the value that is returned.
        mutating func next() -> (lines: [JobOutputLine], sent: OneShot<Void>?) {
            guard waiting.isEmpty else { return (waiting.takeAll(), nil) }
            switch phase {
            case .sending(let sent):
                phase = .idle
                return ([], sent)
            case .ending(let sent):
                phase = .ended
                return ([], sent)
            case .keeping, .idle, .ended: preconditionFailure("Only the task of a phase asks for its lines.")
            }
        }
    }

    private let state: Locked<State>
    /// Completed when the job has ended, so that a pause ends.
    private let over = OneShot<Void>()
    private let send: @Sendable ([JobOutputLine]) async -> Void

    /// - Parameters:
    ///   - reading: Whether the lines are read.
    ///   - send: Sends lines, and returns when they were received.
    init(_ reading: LineReading, _ send: @escaping @Sendable ([JobOutputLine]) async -> Void) {
        self.send = send
        let phase: Phase =
            switch reading {
            case .never: .ended
            case .later: .keeping
            case .now: .idle
            }
        state = Locked(State(phase: phase))
    }

    /// Adds a line.
    func add(_ line: JobOutputLine) {
        add { $0.add(line) }
    }

    /// Adds a line of a program.
    func add(_ bytes: UnsafeRawBufferPointer, to stream: JobOutputLine.Stream) {
        add { $0.add(bytes, to: stream) }
    }

    private func add(_ change: (inout KeptLines) -> Void) {
        let isFirst = state.withLock { state in
            switch state.phase {
            case .idle:
                change(&state.waiting)
                state.phase = .sending(OneShot())
                return true
            case .keeping, .sending:
                change(&state.waiting)
                return false
            case .ending, .ended: return false
            }
        }
        if isFirst { beginSending() }
    }

    /// Sends lines from now on while they are printed, because a reader follows the job.
    func follow() {
        let hasLines = state.withLock { state in
            guard case .keeping = state.phase else { return false }
            state.phase = state.waiting.isEmpty ? .idle : .sending(OneShot())
            return !state.waiting.isEmpty
        }
        if hasLines { beginSending() }
    }

    /// Sends the lines that wait, and returns when no line waits.
    func flush() async {
        follow()
        let sent = state.withLock { state -> OneShot<Void>? in
            switch state.phase {
            case .sending(let sent), .ending(let sent): sent
            case .keeping, .idle, .ended: nil
            }
        }
        await sent?.wait()
    }

    /// Waits until all lines were sent. Further lines are dropped.
    func end() async {
        let (sent, isFirst) = state.withLock { state -> (OneShot<Void>?, Bool) in
            switch state.phase {
            case .keeping where !state.waiting.isEmpty:
                let sent = OneShot<Void>()
                state.phase = .ending(sent)
                return (sent, true)
            case .keeping, .idle, .ended:
                state.phase = .ended
                return (nil, false)
            case .sending(let sent), .ending(let sent):
                state.phase = .ending(sent)
                return (sent, false)
            }
        }
        over.complete()
        if isFirst { beginSending() }
        guard let sent else { return }
        // A cancelled job waits too.
        _ = await Task(executorPreference: ThreadPool.shared) { await sent.wait() }.value
    }

    private func beginSending() {
        Task(executorPreference: ThreadPool.shared) { await self.sendAll() }
    }

    private func sendAll() async {
        while true {
            let (lines, sent) = state.withLock { $0.next() }
            if let sent {
                _ = sent.complete(())
                return
            }
            await send(lines)
            await over.wait(atMost: ReportMerger.interval)
        }
    }
}
