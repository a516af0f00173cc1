package import Logging
import Synchronization

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A log whose writer can be made to wait, as one does whose standard error nobody reads.
package final class BlockableLog: Sendable {
    private let isBlocked = Atomic(false)
    package let lines = Watched<[String]>([])
    /// Those of them that tell of an error, or of worse.
    package let errors = Watched<[String]>([])
    /// How many lines came while it was blocked.
    package let held = Watched(0)

    package init() {}

    /// From now on whoever writes waits, until `unblock`.
    package func block() { isBlocked.store(true, ordering: .releasing) }
    package func unblock() { isBlocked.store(false, ordering: .releasing) }

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
