import LatticeCore
import LatticeHosting
import LatticeTestSupport
import Logging
import Testing

@testable import LatticeCoordinator

/// Tests how the output of a worker is logged.
struct WorkerOutputTests {
    /// Entries as they reach the coordinator's log handler.
    private final class Entries: Sendable {
        let all = Watched<[LogEvent]>([])

        /// The sink of events that logs from a level on.
        func events(_ level: Logger.Level = .trace) -> RuntimeEvents {
            var logger = Logger(label: "test") { [all] _ in Handler(all: all) }
            logger.logLevel = level
            return RuntimeEvents([.logging(to: logger)])
        }

        private struct Handler: LogHandler {
            let all: Watched<[LogEvent]>
            var metadata: Logger.Metadata = [:]
            var logLevel = Logger.Level.trace

            init(all: Watched<[LogEvent]>) { self.all = all }

            subscript(metadataKey key: String) -> Logger.Metadata.Value? {
                get { metadata[key] }
                set { metadata[key] = newValue }
            }

            func log(event: LogEvent) { all.change { $0.append(event) } }
        }
    }

    private static let worker = RuntimeEvent.Worker(
        member: RuntimeEvent.Member(),
        incarnation: 1,
        processID: 42
    )

    private func write(_ text: String, to output: WorkerOutput, inPiecesOf size: Int = .max) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            rest.prefix(size).withUnsafeBytes { output.received($0) }
            rest = rest.dropFirst(size)
        }
    }

    private static let report = """
        swift-runtime: failed to suspend thread 7 while processing a crash; backtraces will be missing information

        *** Signal 11: Backtracing from 0x562b2db62260... done ***

        *** Program crashed: Bad pointer dereference at 0x0000000000000010 ***

        Thread 0 "worker" crashed:

        0      0x0000562b2db62260
        1 [ra] 0x0000562b2db62174

        Backtrace took 0.05s


        """

    @Test("A crash report is one log entry at level error, however it is split", arguments: [1, 7, 100, .max])
    func report(size: Int) throws {
        let (entries, tail) = (Entries(), OutputTail())
        let output = WorkerOutput(of: Self.worker, to: entries.events(), at: .notice, keepingIn: tail)
        write(
            "before\nUploads.swift:7: Fatal error: told to\n" + Self.report + "behind\n",
            to: output,
            inPiecesOf: size
        )
        output.ended(nil)
        let all = entries.all.value
        #expect(
            all.map(\.message.description) == [
                "before", "Uploads.swift:7: Fatal error: told to",
                "Program crashed: Bad pointer dereference at 0x0000000000000010", "behind",
            ]
        )
        #expect(all.map(\.level) == [.notice, .notice, .error, .notice])
        let text = try #require(all[2].metadata?["report"])
        #expect("\(text)".hasPrefix("swift-runtime: failed to suspend thread 7"))
        #expect("\(text)".hasSuffix("0x0000562b2db62174\n\nBacktrace took 0.05s\n"))
        #expect(tail.lines.first == "Uploads.swift:7: Fatal error: told to")
    }

    @Test("A crash report that the end of the worker cuts off is logged as far as it was written")
    func cutReport() {
        let entries = Entries()
        let output = WorkerOutput(of: Self.worker, to: entries.events(), at: .notice, keepingIn: OutputTail())
        write("*** Signal 6: Backtracing from 0x1...", to: output)
        #expect(entries.all.value.isEmpty)
        output.ended(nil)
        #expect(entries.all.value.map(\.message.description) == ["Program crashed"])
    }

    @Test("A crash report that fails or takes too long hides no later output")
    func endlessReport() {
        let entries = Entries()
        let output = WorkerOutput(of: Self.worker, to: entries.events(), at: .notice, keepingIn: OutputTail())
        write("*** Signal 6: Backtracing from 0x1... failed ***\nbehind\n", to: output)
        #expect(entries.all.value.map(\.message.description) == ["Program crashed", "behind"])
        let other = Entries()
        let late = WorkerOutput(
            of: Self.worker,
            to: other.events(),
            at: .notice,
            keepingIn: OutputTail(),
            reportTimeout: .zero
        )
        write("*** Signal 6: printed by a program\n", to: late)
        write("later\n", to: late)
        #expect(other.all.value.map(\.message.description) == ["Program crashed", "later"])
    }

    @Test("The output of a worker that does not crash is never treated as a crash report")
    func noReport() {
        let (entries, hasCrashed) = (Entries(), Watched(false))
        let output = WorkerOutput(
            of: Self.worker,
            to: entries.events(),
            at: .notice,
            keepingIn: OutputTail(),
            mayCrash: { hasCrashed.value }
        )
        write("*** Program crashed: says a child ***\nbehind\n", to: output)
        #expect(
            entries.all.value.map(\.message.description) == ["*** Program crashed: says a child ***", "behind"]
        )
        hasCrashed.change { $0 = true }
        write(Self.report, to: output)
        #expect(
            entries.all.value.last?.message == "Program crashed: Bad pointer dereference at 0x0000000000000010"
        )
    }

    @Test("A crash report has a maximum size, and says that it was cut")
    func largeReport() throws {
        let entries = Entries()
        let output = WorkerOutput(of: Self.worker, to: entries.events(), at: .notice, keepingIn: OutputTail())
        let line = String(repeating: "x", count: 99) + "\n"
        write("*** Signal 6: Backtracing\n" + String(repeating: line, count: 5_000) + "Backtrace took 1s\n", to: output)
        let text = try #require(entries.all.value.first?.metadata?["report"])
        #expect("\(text)".utf8.count < BacktraceLines.maximumBytes + 100)
        #expect("\(text)".hasSuffix("(the rest is left out)\n"))
        #expect(entries.all.value.count == 1)
    }

    @Test("A worker's log record keeps level, label, source and metadata, and gets the metadata of the worker")
    func record() throws {
        let (entries, tail) = (Entries(), OutputTail())
        let output = WorkerOutput(of: Self.worker, to: entries.events(.info), at: .notice, keepingIn: tail)
        for level in ["debug", "warning"] {
            let metadata = ["size": "3", "worker": "7", "label": "x"]
            WorkerLogRecord(level: level, label: "uploads", source: "Uploads", message: "a\nb", metadata: metadata).line
                .withUnsafeBytes { output.received($0) }
        }
        let all = entries.all.value
        #expect(all.map(\.level) == [.warning])
        let event = try #require(all.first)
        #expect(event.message == "a\nb" && event.source == "Uploads")
        #expect(event.metadata == ["label": "uploads", "size": "3", "own.worker": "7", "own.label": "x"])
        #expect(tail.lines == ["debug uploads: a\nb", "warning uploads: a\nb"])
    }

    @Test("A worker that floods its log has some lines logged and the rest counted, and its last lines are kept")
    func flood() throws {
        let (entries, tail) = (Entries(), OutputTail())
        let output = WorkerOutput(of: Self.worker, to: entries.events(), at: .notice, keepingIn: tail)
        let lines = 300_000
        write((1...lines).map { "line \($0)\n" }.joined(), to: output, inPiecesOf: 8_192)
        output.ended(nil)
        #expect(tail.lines == (lines - 31...lines).map { "line \($0)" })
        let warnings = entries.all.value.filter { $0.level == .warning }.map(\.message.description)
        let logged = entries.all.value.count - warnings.count
        #expect(logged >= OutputRateLimiter.burst && warnings.count >= 1)
        #expect(
            warnings.allSatisfy { $0.hasSuffix("dropped, because the worker writes more than 4096 lines per second.") },
            "\(warnings)"
        )
        let dropped = try warnings.map { try #require(Int($0.prefix { $0.isNumber })) }.reduce(0, +)
        #expect(logged + dropped == lines)
    }

    @Test("Dropped lines are reported once after a while, also without a later line")
    func droppedBeforeSilence() throws {
        let (entries, waiting) = (Entries(), Watched<[@Sendable () -> Void]>([]))
        let output = WorkerOutput(of: Self.worker, to: entries.events(), at: .notice, keepingIn: OutputTail()) {
            true
        } later: { work in
            waiting.change { $0.append(work) }
        }
        // In one piece: no time passes for the rate limiter.
        write(String(repeating: "line\n", count: OutputRateLimiter.burst + 100), to: output)
        #expect(entries.all.value.count == OutputRateLimiter.burst)
        #expect(waiting.value.count == 1)
        waiting.value.first?()
        let warnings = entries.all.value.filter { $0.level == .warning }.map(\.message.description)
        #expect(warnings == ["100 lines were dropped, because the worker writes more than 4096 lines per second."])
        output.ended(nil)
        #expect(entries.all.value.count == OutputRateLimiter.burst + 1)
    }

    @Test("Output below the logger's level is neither split into lines nor turned into text")
    func leftOut() {
        let (entries, tail) = (Entries(), OutputTail())
        let (output, error) = (
            WorkerOutput(of: Self.worker, to: entries.events(.critical), at: .info),
            WorkerOutput(of: Self.worker, to: entries.events(.critical), at: .notice, keepingIn: tail)
        )
        for stream in [output, error] {
            write("a\nb\n" + Self.report, to: stream)
            stream.ended(nil)
        }
        #expect(entries.all.value.isEmpty)
        #expect(tail.lines.count > 2)
    }

    @Test("After a burst, lines are logged at the rate limiter's rate, in bursts of half the size")
    func rateLimiter() {
        var rateLimiter = OutputRateLimiter()
        let start = ContinuousClock.now
        func admitted(_ rateLimiter: inout OutputRateLimiter, at time: Duration, of count: Int) -> Int {
            (0..<count).count { _ in rateLimiter.admits(at: start + time) }
        }
        #expect(admitted(&rateLimiter, at: .zero, of: 5_000) == OutputRateLimiter.burst)
        #expect(rateLimiter.takeDropped() == 5_000 - OutputRateLimiter.burst)
        #expect(rateLimiter.takeDropped() == nil)
        // Room for 1,023 lines, then for 1,024.
        #expect(admitted(&rateLimiter, at: .milliseconds(249), of: 5_000) == 0)
        #expect(admitted(&rateLimiter, at: .milliseconds(251), of: 5_000) >= 1_024)
        #expect(admitted(&rateLimiter, at: .seconds(100), of: 5_000) == OutputRateLimiter.burst)
        #expect(rateLimiter.takeDropped() != nil)
        // A worker that writes less than that loses nothing.
        var calm = OutputRateLimiter()
        for step in 1...100 { #expect(admitted(&calm, at: .milliseconds(250 * step), of: 1_000) == 1_000) }
        #expect(calm.takeDropped() == nil)
    }

    @Test("The variable that selects the content of backtraces is set unless it is set already")
    func backtraces() {
        let variables = WorkerBacktraces.none.added(to: ["A": "b"])
        #expect(variables["A"] == "b")
        #expect(WorkerBacktraces.full.added(to: ["SWIFT_BACKTRACE": "x"]) == ["SWIFT_BACKTRACE": "x"])
    }
}
