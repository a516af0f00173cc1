package import Logging

/// A log handler that writes the messages of supervisors and workers as plain lines. If a message belongs to a group,
/// the line begins with the group's name. Debug messages are left out.
package struct LineLogHandler: LogHandler {
    /// The metadata of the logger.
    package var metadata: Logger.Metadata = [:]
    /// The minimum level of the messages that are written.
    package var logLevel: Logger.Level = .notice
    private let say: @Sendable (String) -> Void

    /// Creates a handler.
    ///
    /// - Parameter say: Writes a line. It is called on any thread.
    package init(_ say: @escaping @Sendable (String) -> Void) {
        self.say = say
    }

    /// The metadata value for a key.
    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes a message.
    package func log(event: LogEvent) {
        let group = metadata["group"].map { "\($0): " } ?? ""
        say("\(group)\(event.message)")
        // The report of a crash has several lines.
        guard let report = event.metadata?["report"] else { return }
        for line in "\(report)".split(separator: "\n") { say("\(group)\(line)") }
    }
}
