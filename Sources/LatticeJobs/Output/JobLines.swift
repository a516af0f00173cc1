import LatticeCoding
import LatticeConcurrency

/// The lines that a job prints, as a sequence that follows the job to its end.
///
/// The sequence begins with the lines that are still kept, at most ``JobOutputLine/maximumLines``. A reader that is
/// slower than the job misses lines, and ``JobOutputLine/omittedBefore`` of the next line says how many. The lines of
/// all attempts follow one another. The sequence ends after the last line of the job, and when the reading task is
/// cancelled. Any number of tasks can read it, and each gets all lines. Once a reader has begun, the job sends its
/// lines until it ends.
///
/// Lines that a worker has not sent when it ends are lost, and are not counted. After a crash or a limit of memory
/// these are all lines if no reader had begun, and otherwise those of about the last 50 milliseconds. Before a worker
/// is ended for another limit or a cancellation, it has 250 milliseconds to send them.
public struct JobLines: AsyncSequence, Sendable {
    let box: JobLineBox
    /// Called when a reader follows the job for the first time, and was not expected.
    let onFirstReader: @Sendable () -> Void

    /// Returns an iterator that begins with the oldest line that is kept.
    public func makeAsyncIterator() -> Iterator {
        if box.follow() { onFirstReader() }
        return Iterator(box: box)
    }

    /// An iterator over the lines of a job.
    public struct Iterator: AsyncIteratorProtocol {
        let box: JobLineBox
        /// The number of lines that were read or missed.
        private var seen = 0
        /// Lines that were taken from the box and not read yet, the next one last.
        private var ahead: [JobOutputLine] = []

        init(box: JobLineBox) {
            self.box = box
        }

        /// Waits for the next line. Returns nil after the last one, or if the task is cancelled.
        public mutating func next() async -> JobOutputLine? {
            while ahead.isEmpty, !Task.isCancelled {
                switch box.lines(after: seen) {
                case .lines(let lines, let end):
                    seen = end
                    ahead = lines.reversed()
                case .ended: return nil
                case .change(let change): await change.wait()
                }
            }
            return Task.isCancelled ? nil : ahead.popLast()
        }
    }
}

/// Whether the lines of a job are read.
enum LineReading: String, Codable, Sendable {
    /// They have no reader and can get none, so they are dropped.
    case never
    /// A reader may come. The worker keeps the last ones.
    case later
    /// A reader follows the job, or is about to, so that lines are sent while they are printed.
    case now
}

extension LineReading: WireCodable {
    init(from reader: inout CBORReader) throws {
        let name = try reader.decode(String.self)
        guard let value = LineReading(rawValue: name) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: "\"\(name)\" is no way to read lines.")
            )
        }
        self = value
    }

    func encode(to writer: inout CBORWriter) throws { try writer.encode(rawValue) }
}

/// The last lines of a job, in the process of its pool.
final class JobLineBox: Sendable {
    enum Found: Sendable {
        /// Lines, and the number of all lines up to the last of them.
        case lines([JobOutputLine], end: Int)
        /// There is no line, and this is completed when there is one or the job has ended.
        case change(OneShot<Void>)
        /// There will be no more lines.
        case ended
    }

    private struct State {
        var lines: [JobOutputLine] = []
        /// The number of all lines, including those that the job or this box has left out.
        var count = 0
        var isOver = false
        /// Once a reader has followed the job, this does not change.
        var reading: LineReading
        /// Completed with the next line or the end, if a reader waits.
        var change: OneShot<Void>?
    }

    private let state: Locked<State>

    /// - Parameter reading: Whether the lines are read.
    init(reading: LineReading = .later) {
        state = Locked(State(reading: reading))
    }

    /// Whether the lines are read.
    var reading: LineReading { state.withLock(\.reading) }

    /// Notes that a reader follows the job.
    ///
    /// - Returns: Whether it is the first one, and was not expected.
    func follow() -> Bool {
        state.withLock { state in
            defer { state.reading = .now }
            return state.reading != .now
        }
    }

    /// Adds lines. Of more than ``JobOutputLine/maximumLines``, which no worker of this library sends at a time, only
    /// the last are added, and the others are not counted.
    func add(_ lines: [JobOutputLine]) {
        let lines = lines.suffix(JobOutputLine.maximumLines)
        let change = state.withLock { state -> OneShot<Void>? in
            guard !state.isOver, !lines.isEmpty else { return nil }
            state.lines += lines
            let added = lines.reduce(0) { $0 + $1.omittedBefore + 1 }
            // Readers get no more lines of a job that claims to have printed 2^63.
            let (count, isTooLarge) = state.count.addingReportingOverflow(added)
            state.count = isTooLarge ? .max : count
            let surplus = state.lines.count - JobOutputLine.maximumLines
            if surplus > 0 { state.lines.removeFirst(surplus) }
            return state.change.take()
        }
        change?.complete()
    }

    /// Ends the lines.
    func end() {
        let change = state.withLock { state -> OneShot<Void>? in
            state.isOver = true
            return state.change.take()
        }
        change?.complete()
    }

    /// Returns the lines that a reader has not seen.
    ///
    /// - Parameter seen: The number of lines that the reader has read or missed.
    func lines(after seen: Int) -> Found {
        state.withLock { state in
            guard state.count > seen else {
                if state.isOver { return .ended }
                let change = state.change ?? OneShot()
                state.change = change
                return .change(change)
            }
            // Counted from the end, because each line says how many were left out before it.
            var (found, position): ([JobOutputLine], Int) = ([], state.count)
            for line in state.lines.reversed() {
                guard position > seen else { break }
                found.append(line)
                position -= line.omittedBefore + 1
            }
            // Before the oldest line of these, others were left out here, or some that the reader has missed already.
            if let last = found.indices.last { found[last].omittedBefore += position - seen }
            return .lines(found.reversed(), end: state.count)
        }
    }
}
