import DequeModule
import LatticeConcurrency
import LatticeCore

/// The newest records of the log, for tools that ask for them later.
///
/// The records are runtime events. A row is only made of one if a tool reads it. The ends of workers have room of their
/// own, so neither a worker that floods the log nor another frequent record displaces the records about an end. Crash
/// reports are large, so they have room of their own as well.
struct LogHistory: Sendable {
    /// A runtime event that was logged.
    struct Record: Sendable {
        /// The number of the record, from 1. Each record has the number of the one before it plus 1, so a tool sees
        /// which ones it missed.
        let number: UInt64
        /// The runtime event.
        let event: RuntimeEvent
        /// The time at which the coordinator noticed the event.
        let time: ContinuousClock.Instant
        /// The approximate number of bytes that the record takes.
        let bytes: Int
    }

    /// A runtime event without the parts that no row has, and its size.
    struct Content: Sendable {
        let event: RuntimeEvent
        let bytes: Int

        init(_ event: RuntimeEvent) {
            self.event = event.withoutHiddenParts
            bytes = self.event.keptBytes
        }
    }

    /// The records of one kind, of which the oldest are dropped if there is no room for a new one.
    private struct Room {
        let maximumRecords: Int
        let maximumBytes: Int
        var records: Deque<Record> = []
        var bytes = 0

        mutating func add(_ record: Record) {
            records.append(record)
            bytes += record.bytes
            while records.count > maximumRecords || bytes > maximumBytes, let oldest = records.popFirst() {
                bytes -= oldest.bytes
            }
        }
    }

    /// The maximum number of lines and entries that workers wrote, with the notices about dropped ones. One worker may
    /// write as many in a second. All workers share the room, so a flood of one displaces the lines of others.
    static let maximumOutput = OutputRateLimiter.linesPerSecond
    /// The maximum size of these lines and entries together in bytes.
    static let maximumOutputBytes = 1 << 20
    /// The maximum number of ends of workers and groups, with quarantined events. An end has a handful of them. All
    /// workers share the room.
    static let maximumEnds = 256
    /// The maximum size of the ends together in bytes. A typical end takes less than 4 KiB.
    static let maximumEndBytes = 1 << 20
    /// The maximum number of crash reports.
    static let maximumReports = 64
    /// The maximum size of the crash reports together in bytes. It has room for 15 of the longest ones.
    static let maximumReportBytes = 1 << 20
    /// The maximum number of other records. One restart can cause one for each instance.
    static let maximumRecords = 1024
    /// The maximum size of the other records together in bytes.
    static let maximumRecordBytes = 1 << 20

    /// The maximum size of one record in bytes. The row of a larger one would not fit into an answer, so it is not
    /// kept, and tools see a gap in the numbers. The longest crash report is smaller.
    static let maximumSizeOfRecord = 240 << 10

    private var output = Room(maximumRecords: maximumOutput, maximumBytes: maximumOutputBytes)
    private var ends = Room(maximumRecords: maximumEnds, maximumBytes: maximumEndBytes)
    private var reports = Room(maximumRecords: maximumReports, maximumBytes: maximumReportBytes)
    private var others = Room(maximumRecords: maximumRecords, maximumBytes: maximumRecordBytes)
    private var last: UInt64 = 0

    /// Adds a runtime event unless it is too large. If there is no room for it, the oldest records of its kind are
    /// dropped.
    mutating func add(_ content: Content, at time: ContinuousClock.Instant) {
        last += 1
        guard content.bytes <= Self.maximumSizeOfRecord else { return }
        let record = Record(number: last, event: content.event, time: time, bytes: content.bytes)
        switch content.event.kind {
        case .workerOutput, .workerOutputDropped, .workerOutputFailed: output.add(record)
        case .workerCrashReported: reports.add(record)
        case .workerTerminated, .workerKilled, .workerGivenUp, .workerStartFailed, .eventQuarantined, .groupFailed:
            ends.add(record)
        default: others.add(record)
        }
    }

    /// Returns the records with a number above `number`. Those of one room are together.
    ///
    /// - Complexity: O(*n*), where *n* is the number of records that are returned.
    func unsorted(after number: UInt64) -> [Record] {
        [output, ends, reports, others].flatMap { $0.records.reversed().prefix { $0.number > number } }
    }
}

extension RuntimeEvent {
    /// The approximate size of a line of output without its texts.
    private static let lineBytes = 64
    /// The approximate size of another record without its texts, but with the names of its worker and its instance.
    private static let recordBytes = 512

    /// The event without parts that can be large and that no row has.
    fileprivate var withoutHiddenParts: RuntimeEvent {
        guard case .instanceRecovered(let instance, let interruption) = self else { return self }
        let short = Interruption(cause: interruption.cause, incarnation: interruption.incarnation)
        return .instanceRecovered(instance, short)
    }

    /// The approximate number of bytes that the event takes while it is kept.
    fileprivate var keptBytes: Int {
        if case .workerOutput(_, let line) = self {
            return Self.lineBytes + line.text.utf8.count + (line.entry?.keptBytes ?? 0)
        }
        // The sentence has all texts of the event, except for these.
        return Self.recordBytes + description.utf8.count + furtherTexts.reduce(0) { $0 + $1.utf8.count }
    }

    /// The texts of the event that its sentence does not have.
    private var furtherTexts: [String] {
        switch self {
        case .workerCrashReported(_, _, let report): return [report]
        case .workerGivenUp(_, let failure, _): return failure.history
        case .standbyEnded(_, .some, let reason, _): return [reason]
        case .operationBegan(let operation), .operationEnded(let operation, _, _): return [operation.program ?? ""]
        case .sessionEnded(.client(let client), _): return [client.program ?? ""]
        case .workerTerminated(let end):
            let report = end.report
            var texts = (report?.output ?? []) + (report?.effects ?? []) + (report?.events ?? []).map { "\($0)" }
            if case .giveUp(let failure) = end.verdict { texts += [failure.reason] + failure.history }
            return texts
        default: return []
        }
    }
}

extension RuntimeEvent.OutputLine.Entry {
    /// A worker chooses all of these texts.
    fileprivate var keptBytes: Int {
        metadata.reduce(label.utf8.count + source.utf8.count) { $0 + $1.key.utf8.count + $1.value.utf8.count + 32 }
    }
}

/// A ``LogHistory`` that listens to the runtime.
final class LogKeeper: Sendable {
    private let history = Locked(LogHistory())

    /// Returns the records with a number above `number`, oldest first.
    ///
    /// - Complexity: O(*n* log *n*), where *n* is the number of records that are returned. They are only copied under
    ///   the lock, because the event loop waits for it.
    func records(after number: UInt64) -> [LogHistory.Record] {
        history.withLock { $0.unsorted(after: number) }.sorted { $0.number < $1.number }
    }

    /// Returns the observer to add to the configuration.
    ///
    /// It keeps what the runtime itself logs, whatever the level, because that is rare. Of the output of workers, it
    /// keeps what the log contains, because each line is converted to text for it.
    ///
    /// - Parameter level: Returns the lowest level of output that the log contains.
    func observer(outputFrom level: @escaping @Sendable () -> RuntimeEvent.Level) -> RuntimeObserver {
        RuntimeObserver(loggedWithOutputFrom: level) { [self] event in
            // Not all events of these kinds are logged, such as an expected end.
            guard let own = event.level else { return }
            if case .workerOutput = event, own < level() { return }
            let content = LogHistory.Content(event)
            history.withLock { $0.add(content, at: .now) }
        }
    }
}
