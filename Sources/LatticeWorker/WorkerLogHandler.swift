import LatticeConcurrency
import LatticeCore
import LatticeHosting
public import Logging

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A log handler for workers. Log entries reach the coordinator's log with their level, label and metadata.
///
/// ```swift
/// if let worker = Worker.launchedBySupervisor(hosting: TallyFeature.self) {
///     LoggingSystem.bootstrap { worker.logHandler(label: $0) }
///     try await worker.run()
///     return
/// }
/// ```
///
/// An entry that is logged in an interactor or in an effect has the metadata of its event, such as `event`, `order`,
/// `cause` and `sender` (`EventContext.metadata`).
///
/// A message may have 3,072 bytes, and the metadata of an entry 4,096 bytes together. Longer ones are truncated. As
/// with all output to standard error, the logging thread waits while the pipe to the coordinator is full.
public struct WorkerLogHandler: LogHandler {
    /// Serialises the entries, so that parts of two entries are not mixed.
    private static let lock = Locked(())

    /// The lowest level that is logged.
    public var logLevel: Logger.Level
    /// The metadata of every entry.
    public var metadata: Logger.Metadata = [:]
    /// The source of further metadata for each entry.
    public var metadataProvider: Logger.MetadataProvider?
    private let label: String
    private let write: @Sendable ([UInt8]) -> Void

    /// - Parameters:
    ///   - label: The label of the logger.
    ///   - logLevel: The lowest level that is logged.
    ///   - write: A closure that is called with each line.
    init(label: String, logLevel: Logger.Level, write: @escaping @Sendable ([UInt8]) -> Void = Self.writeToError) {
        self.label = label
        self.logLevel = logLevel
        self.write = write
    }

    /// The metadata of every entry under one key.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes an entry to standard error, from where it reaches the coordinator's log. Under each key of the metadata,
    /// the value of the entry takes precedence over that of the provider, this one over that of the handler, and this
    /// one over that of the event that the code belongs to.
    public func log(event: LogEvent) {
        var all = metadata
        if let context = EventContext.current {
            all.merge(context.metadata.mapValues { .string($0) }) { own, _ in own }
        }
        if let provided = metadataProvider?.get() { all.merge(provided) { $1 } }
        if let own = event.metadata { all.merge(own) { $1 } }
        if let error = event.error, all["error"] == nil { all["error"] = "\(error)" }
        let record = WorkerLogRecord(
            level: event.level.rawValue,
            label: label,
            source: event.source,
            message: event.message.description,
            metadata: all.mapValues { "\($0)" }
        )
        write(record.line)
    }

    private static func writeToError(_ line: [UInt8]) {
        lock.withLock { _ in
            line.withUnsafeBytes { bytes in
                var rest = bytes[...]
                while let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress, !rest.isEmpty {
                    let count = Self.write(start, rest.count)
                    guard count > 0 || errno == EINTR else { return }
                    rest = rest.dropFirst(max(count, 0))
                }
            }
        }
    }

    private static func write(_ start: UnsafeRawPointer, _ count: Int) -> Int {
        #if canImport(Darwin)
        Darwin.write(STDERR_FILENO, start, count)
        #else
        Glibc.write(STDERR_FILENO, start, count)
        #endif
    }
}

extension Worker {
    /// Returns a log handler that passes entries to the coordinator's log, with level, label and metadata.
    ///
    /// The handler has the log level of the coordinator's logger. Entries of lower levels are not even written.
    ///
    /// - Parameter label: The label of the logger.
    public func logHandler(label: String) -> WorkerLogHandler {
        WorkerLogHandler(label: label, logLevel: logLevel.flatMap { Logger.Level(rawValue: $0) } ?? .info)
    }
}
