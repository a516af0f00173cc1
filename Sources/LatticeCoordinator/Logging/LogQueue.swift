import LatticeConcurrency
import LatticeSession
import LatticeTransport
import Logging

/// Writes log lines on a thread of its own, so that code that logs never waits for the reader of the log.
///
/// The thread lives as long as there are lines to write. A log handler may block, for example because its standard
/// error is not read. It then blocks only this thread. Lines that find no room meanwhile are dropped and counted.
final class LogQueue: Sendable {
    private struct Line: Sendable {
        let handler: any LogHandler
        let event: LogEvent
    }

    private struct Core {
        var backlog = LogBacklog<Line>()
        var isWriting = false
        /// Completed when all lines are written, or nil while no caller waits for that.
        var written: OneShot<Void>?
        /// The handler of the last line, which reports where other lines were dropped.
        var handler: (any LogHandler)?
    }

    private let core = Locked(Core())
    private let level = Locked<Logger.Level?>(nil)

    /// The lowest level that is written, instead of the level of each logger. Nil if the loggers keep their own.
    var minimumLevel: Logger.Level? {
        get { level.withLock(\.self) }
        set { level.withLock { $0 = newValue } }
    }

    /// Returns a logger that writes through this queue what `logger` would write.
    func logger(_ logger: Logger, from origin: LogOrigin = .coordinator) -> Logger {
        var logger = logger
        let sink = (logger.handler as? QueuedLogHandler)?.sink ?? logger.handler
        logger.handler = QueuedLogHandler(sink: sink, queue: self, origin: origin)
        return logger
    }

    func add(_ event: LogEvent, to handler: any LogHandler, from origin: LogOrigin) {
        let isFirst = core.withLock { core in
            core.handler = handler
            core.backlog.add(
                Line(handler: handler, event: event),
                bytes: event.bytes,
                from: origin
            )
            defer { core.isWriting = true }
            return !core.isWriting
        }
        guard isFirst else { return }
        do {
            try SystemThread.start(name: "lattice-log") { [self] in write() }
        } catch {
            // The thread could not be started. The lines wait, and the next line tries again.
            core.withLock { $0.isWriting = false }
        }
    }

    /// Returns the next item to write, and the handler that reports dropped lines, or nil when everything is written.
    private func takeNext() -> (LogBacklog<Line>.Item, (any LogHandler)?)? {
        core.withLock { core in
            let item = core.backlog.next()
            core.isWriting = item != nil
            return item.map { ($0, core.handler) }
        }
    }

    private func write() {
        while let (item, handler) = takeNext() {
            switch item {
            case .line(let line): line.handler.log(event: line.event)
            case .dropped(let count): handler?.log(event: Self.notice(dropped: count))
            }
        }
        core.withLock { $0.written.take() }?.complete()
    }

    private static func notice(dropped count: Int) -> LogEvent {
        LogEvent(
            level: .warning,
            message:
                "\(count) \(count == 1 ? "line was" : "lines were") dropped, because the log is not read fast enough.",
            metadata: nil,
            source: "LatticeCoordinator",
            file: #fileID,
            function: #function,
            line: #line
        )
    }

    /// Waits until every line that was logged before this call is written, but no longer than `limit`.
    func flush(within limit: Duration) async {
        let written = core.withLock { core in
            if core.isWriting, core.written == nil { core.written = OneShot() }
            return core.written
        }
        await written?.wait(atMost: limit)
    }
}

extension LogEvent {
    /// The approximate number of bytes that the event occupies while it waits.
    fileprivate var bytes: Int {
        message.description.utf8.count + (metadata?.reduce(0) { $0 + $1.key.utf8.count + $1.value.bytes } ?? 0)
    }
}

extension Logger.MetadataValue {
    fileprivate var bytes: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .stringConvertible: 0
        case .array(let values): values.reduce(0) { $0 + $1.bytes }
        case .dictionary(let values): values.reduce(0) { $0 + $1.key.utf8.count + $1.value.bytes }
        }
    }
}

/// A log handler that passes events to a queue, which writes them with another handler.
struct QueuedLogHandler: LogHandler {
    var sink: any LogHandler
    let queue: LogQueue
    let origin: LogOrigin

    var logLevel: Logger.Level {
        get { queue.minimumLevel ?? sink.logLevel }
        set { sink.logLevel = newValue }
    }

    var metadata: Logger.Metadata {
        get { sink.metadata }
        set { sink.metadata = newValue }
    }

    var metadataProvider: Logger.MetadataProvider? {
        get { sink.metadataProvider }
        set { sink.metadataProvider = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { sink[metadataKey: key] }
        set { sink[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) {
        var event = event
        // The metadata is read here, because it often depends on the caller's task.
        if let provided = sink.metadataProvider?.get(), !provided.isEmpty {
            event.metadata = provided.merging(event.metadata ?? [:]) { $1 }
        }
        var sink = sink
        // The sink may filter as well.
        if let level = queue.minimumLevel { sink.logLevel = level }
        queue.add(event, to: sink, from: origin)
    }
}
