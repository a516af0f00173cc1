package import Logging

/// What the supervisors have to say, and what the workers write, as lines with nothing but the name of the group, where
/// there are groups; debugging left out.
package struct LineLogHandler: LogHandler {
    package var metadata: Logger.Metadata = [:]
    package var logLevel: Logger.Level = .notice
    private let say: @Sendable (String) -> Void

    /// - Parameter say: Called with each line, on any thread.
    package init(_ say: @escaping @Sendable (String) -> Void) {
        self.say = say
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        let group = metadata["group"].map { "\($0): " } ?? ""
        say("\(group)\(event.message)")
        // Of a crash: lines of its own.
        guard let report = event.metadata?["report"] else { return }
        for line in "\(report)".split(separator: "\n") { say("\(group)\(line)") }
    }
}
