import Logging

/// Makes log lines of what a worker writes to its standard output or error. Bytes that are no UTF-8 show as U+FFFD.
final class WorkerOutput: @unchecked Sendable {
    // Unchecked: the reactor's thread alone calls it.

    private let logger: Logger
    private let level: Logger.Level
    private let queue: QueuedLogHandler?
    private var lines = LineSplitter()

    init(to logger: Logger, at level: Logger.Level) {
        self.logger = logger
        self.level = level
        queue = logger.handler as? QueuedLogHandler
    }

    func received(_ bytes: UnsafeRawBufferPointer) {
        lines.feed(bytes) { log($0) }
    }

    func ended(_ error: (any Error)?) {
        lines.end { log($0) }
        if let error { logger.warning("the worker's output cannot be read: \(error)") }
    }

    private func log(_ line: UnsafeRawBufferPointer) {
        guard logger.logLevel <= level else { return }
        // A text is only made if there is room for it: a flood costs little.
        if let queue, queue.queue.drops(bytes: line.count, from: queue.origin) { return }
        logger.log(level: level, "\(String(decoding: line, as: UTF8.self))")
    }
}
