import LatticeTestSupport
import Logging

/// The lines that were logged as a warning or worse, oldest first.
final class LogLines: Sendable {
    private let written = Watched<[String]>([])

    var lines: [String] { written.value }

    func until(count: Int) async throws {
        try await written.until { $0.count == count }
    }

    func makeLogger() -> Logger {
        Logger(label: "test") { [written] _ in Handler(written: written) }
    }

    private struct Handler: LogHandler {
        let written: Watched<[String]>
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.warning

        init(written: Watched<[String]>) {
            self.written = written
        }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let line = event.message.description
            written.change { $0.append(line) }
        }
    }
}
