import LatticeCore
import LatticeHosting
import LatticeTestSupport
import Logging
import Testing

@testable import LatticeWorker

struct WorkerLogHandlerTests {
    @Test("A worker's log records have level, label and all metadata, and none is below the worker's level")
    func records() {
        let lines = Watched<[[UInt8]]>([])
        var logger = Logger(label: "uploads") { label in
            WorkerLogHandler(label: label, logLevel: .notice) { line in lines.change { $0.append(line) } }
        }
        logger[metadataKey: "user"] = "a"
        logger.info("left out")
        logger.error("it failed", metadata: ["size": "3", "parts": ["x", "y"]], source: "Uploads")
        let records = lines.value.map { line in line.dropLast().withUnsafeBytes { WorkerLogRecord($0) } }
        #expect(
            records == [
                WorkerLogRecord(
                    level: "error",
                    label: "uploads",
                    source: "Uploads",
                    message: "it failed",
                    metadata: ["user": "a", "size": "3", "parts": #"["x", "y"]"#]
                )
            ]
        )
    }

    @Test("An entry of an effect says which event it belongs to, unless the entry says otherwise")
    func event() async throws {
        let lines = Watched<[[UInt8]]>([])
        var logger = Logger(label: "uploads") { label in
            WorkerLogHandler(label: label, logLevel: .notice) { line in lines.change { $0.append(line) } }
        }
        logger[metadataKey: "cause"] = "mine"
        TaskSubject.$current.withValue(.event(EventContext(order: 4, cause: .recovery(incarnation: 2)))) {
            logger.error("it failed")
        }
        let record = try #require(lines.value.first?.dropLast().withUnsafeBytes { WorkerLogRecord($0) })
        #expect(record.metadata == ["order": "4", "cause": "mine", "sender": "feature"])
    }
}
