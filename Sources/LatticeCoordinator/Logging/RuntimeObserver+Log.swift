import LatticeCore
import Logging

extension RuntimeObserver {
    /// Returns the observer that writes everything that the runtime logs. It is the only part of the coordinator that
    /// calls a logger.
    static func logging(to logger: Logger) -> RuntimeObserver {
        // The output of workers has less room in the queue than the coordinator's own lines.
        let output = (logger.handler as? QueuedLogHandler)?.queue.logger(logger, from: .worker) ?? logger
        return RuntimeObserver(
            outputFrom: { RuntimeEvent.Level(logger.logLevel) },
            logging: { line in
                var logger = line.isOutput ? output : logger
                logger.write(line)
            }
        )
    }

    /// Returns the observer that keeps what the runtime logs for tools, and the output of workers that `logger` writes.
    static func keeping(in keeper: LogKeeper, outputOf logger: Logger) -> RuntimeObserver {
        keeper.observer { RuntimeEvent.Level(logger.logLevel) }
    }
}

extension RuntimeEvent.Level {
    init(_ level: Logger.Level) {
        self = RuntimeEvent.Level(rawValue: level.rawValue) ?? .info
    }
}

extension Logger {
    fileprivate mutating func write(_ line: RuntimeLogLine) {
        guard let level = Level(rawValue: line.level.rawValue), logLevel <= level else { return }
        for (key, value) in line.context { self[metadataKey: key] = "\(value)" }
        guard let entry = line.entry else {
            let metadata = line.metadata.isEmpty ? nil : line.metadata.mapValues { MetadataValue.string($0) }
            return log(level: level, "\(line.message)", metadata: metadata)
        }
        var metadata: Metadata = [:]
        // The worker cannot replace metadata that the coordinator adds.
        for (key, value) in entry.metadata {
            let isTaken = key == "label" || self[metadataKey: key] != nil
            metadata[isTaken ? "own.\(key)" : key] = "\(value)"
        }
        metadata["label"] = "\(entry.label)"
        log(level: level, "\(line.message)", metadata: metadata, source: entry.source)
    }
}
