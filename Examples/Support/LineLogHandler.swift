package import Logging

/// What the supervisor has to say, and what the worker writes, as lines without decoration; debugging left out.
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
        say("\(event.message)")
    }
}
