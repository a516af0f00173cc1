import LatticeTestSupport
import Logging
import Testing

@testable import LatticeCoordinator

@Suite(.timeLimit(.minutes(10))) struct LogQueueTests {
    @Test("Logging never waits for a log that is not read, and later reports how many lines were dropped (F73)")
    func whoLogsDoesNotWait() async throws {
        let sink = BlockableLog()
        let queue = LogQueue()
        let logger = queue.logger(Logger(label: "test") { _ in sink.handler }, from: .worker)
        let lines = LogBacklog<String>.maximumLines + 10
        sink.block()
        // The writer is blocked with the first line, so all dropped lines come after it together.
        logger.notice("0")
        try await sink.held.until { $0 == 1 }
        for number in 1..<lines { logger.notice("\(number)") }
        // Nothing was written so far, and waiting for it has an end.
        await queue.flush(within: .milliseconds(1))
        #expect(sink.lines.value.isEmpty)
        sink.unblock()
        let written = try await sink.lines.until { $0.last?.contains("dropped") == true }
        #expect(written.prefix(2) == ["0", "1"])
        #expect(written.last == "10 lines were dropped, because the log is not read fast enough.")
        #expect(written.count == lines - 10 + 1)
    }

    @Test func flushReturnsWhenAllIsWritten() async {
        let sink = BlockableLog()
        let queue = LogQueue()
        let logger = queue.logger(Logger(label: "test") { _ in sink.handler })
        for number in 0..<100 { logger.notice("\(number)") }
        await queue.flush(within: .seconds(60))
        #expect(sink.lines.value == (0..<100).map(String.init))
    }

    @Test func levelAndMetadataAreTheLoggersOwn() async {
        let sink = BlockableLog()
        let queue = LogQueue()
        var logger = queue.logger(Logger(label: "test") { _ in sink.handler })
        logger.logLevel = .warning
        logger[metadataKey: "worker"] = "42"
        logger.notice("left out")
        logger.warning("told")
        await queue.flush(within: .seconds(60))
        #expect(sink.lines.value == ["told worker=42"])
    }
}
