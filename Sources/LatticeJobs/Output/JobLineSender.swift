import LatticeConcurrency

/// Sends the lines of a job to its pool, in its worker.
///
/// Lines that arrive while others are being sent wait, and are then sent together. At most one message is sent every 50
/// milliseconds, as for progress. If too many lines wait, the oldest are left out, so a job never waits for a reader.
final class JobLineSender: Sendable {
    private enum Phase {
        case idle
        /// A task sends lines. The value is completed when it has sent all of them.
        case sending(OneShot<Void>)
    }

    private struct State {
        var phase = Phase.idle
        var waiting = KeptLines()
        /// Whether the job has ended, and the rest is to be sent without a pause.
        var isOver = false
    }

    private let state = Locked(State())
    /// Completed when the job has ended.
    private let over = OneShot<Void>()
    private let send: @Sendable ([JobOutputLine]) async -> Void

    /// - Parameter send: Sends lines, and returns when they were received.
    init(_ send: @escaping @Sendable ([JobOutputLine]) async -> Void) {
        self.send = send
    }

    /// Adds a line.
    func add(_ line: JobOutputLine) {
        let isFirst = state.withLock { state in
            guard !state.isOver else { return false }
            state.waiting.add(line)
            guard case .idle = state.phase else { return false }
            state.phase = .sending(OneShot())
            return true
        }
        if isFirst { Task(executorPreference: ThreadPool.shared) { await self.sendAll() } }
    }

    /// Waits until all lines were sent. Further lines are dropped.
    func end() async {
        let sent = state.withLock { state -> OneShot<Void>? in
            state.isOver = true
            if case .sending(let sent) = state.phase { return sent } else { return nil }
        }
        over.complete()
        guard let sent else { return }
        // A cancelled job waits too.
        _ = await Task(executorPreference: ThreadPool.shared) { await sent.wait() }.value
    }

    private func sendAll() async {
        while true {
            let (lines, sent) = state.withLock { state -> ([JobOutputLine], OneShot<Void>?) in
                guard state.waiting.isEmpty, case .sending(let sent) = state.phase else {
                    return (state.waiting.takeAll(), nil)
                }
                state.phase = .idle
                return ([], sent)
            }
            if let sent {
                _ = sent.complete(())
                return
            }
            await send(lines)
            await over.wait(atMost: ReportMerger.interval)
        }
    }
}
