package import Logging
import Synchronization

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A log that can block its writers, like a standard error that is not read.
package final class BlockableLog: Sendable {
    private let isBlocked = Atomic(false)
    /// All lines that were written.
    package let lines = Watched<[String]>([])
    /// The lines with level `error` or `critical`.
    package let errors = Watched<[String]>([])
    /// The number of lines that were written while the log was blocked.
    package let held = Watched(0)

    package init() {}

    /// Makes all writers wait until ``unblock()`` is called.
    package func block() { isBlocked.store(true, ordering: .releasing) }
    /// Lets blocked and later writers continue.
    package func unblock() { isBlocked.store(false, ordering: .releasing) }

    /// A log handler that writes to this log.
    package var handler: any LogHandler { Handler(log: self) }

    private func write(_ line: String, isError: Bool) {
        if isBlocked.load(ordering: .acquiring) { held.change { $0 += 1 } }
        while isBlocked.load(ordering: .acquiring) { poll(nil, 0, 1) }
        lines.change { $0.append(line) }
        if isError { errors.change { $0.append(line) } }
    }

    private struct Handler: LogHandler {
        let log: BlockableLog
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level = .trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let metadata = metadata.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
            log.write("\(event.message)\(metadata)", isError: event.level >= .error)
        }
    }
}
