import LatticeTesting
import Testing

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct AsyncStreamRecorderTests {
    private let recorder = AsyncStreamRecorder<Int>()

    @Test("The wait for emissions returns after three elements, in order (contract 38)")
    func threeElements() async throws {
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        recorder.record(stream)
        #expect(recorder.lastValue == nil)
        for number in 1...3 { continuation.yield(number) }
        try await recorder.waitForEmissions(count: 3)
        #expect(recorder.values == [1, 2, 3])
        #expect(recorder.lastValue == 3)
    }

    @Test func waitForNextEmissionWaitsForOneMore() async throws {
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        recorder.record(stream)
        continuation.yield(1)
        try await recorder.waitForEmissions(count: 1)
        async let next: Void = recorder.waitForNextEmission()
        await Task.megaYield()
        continuation.yield(2)
        try await next
        #expect(recorder.values == [1, 2])
        // There already.
        try await recorder.waitForEmissions(count: 2, timeout: .zero)
    }

    @Test("A silent stream ends the wait with a timeout, and can still emit later (W6)")
    func timeoutOnSilence() async throws {
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        recorder.record(stream)
        let error = try await #require(throws: AsyncStreamRecorder<Int>.TimeoutError.self) {
            try await recorder.waitForEmissions(count: 1, timeout: .milliseconds(10))
        }
        #expect(error.expectedCount == 1)
        #expect(error.actualCount == 0)
        #expect("\(error)" == "Timed out waiting for 1 emission. The recording has 0.")
        continuation.yield(1)
        try await recorder.waitForNextEmission(timeout: .seconds(120))
        #expect(recorder.values == [1])
    }

    @Test("Each of several waits has its own timeout (W6)")
    func severalWaiters() async throws {
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        recorder.record(stream)
        async let patient: Void = recorder.waitForEmissions(count: 2, timeout: .seconds(50))
        await #expect(throws: AsyncStreamRecorder<Int>.TimeoutError.self) {
            try await recorder.waitForEmissions(count: 2, timeout: .milliseconds(10))
        }
        continuation.yield(1)
        continuation.yield(2)
        try await patient
    }

    @Test("Cancelling the task that waits ends the wait (W6)")
    func cancelledWaiter() async {
        let (stream, _) = AsyncStream<Int>.makeStream()
        recorder.record(stream)
        let waiter = Task { try await recorder.waitForEmissions(count: 1, timeout: .seconds(1000)) }
        await Task.megaYield()
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }

        let cancelledBefore = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await recorder.waitForEmissions(count: 1, timeout: .seconds(1000))
        }
        await #expect(throws: CancellationError.self) { try await cancelledBefore.value }
    }

    @Test("Errors give the number of elements at the end, not at the start of the wait (W39)")
    func countAtTheEnd() async throws {
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        recorder.record(stream)
        async let ended = #expect(throws: AsyncStreamRecorder<Int>.EndedError.self) {
            try await recorder.waitForEmissions(count: 4, timeout: .seconds(1000))
        }
        await Task.megaYield()
        continuation.yield(1)
        continuation.yield(2)
        try await recorder.waitForEmissions(count: 2)
        let timeout = try await #require(throws: AsyncStreamRecorder<Int>.TimeoutError.self) {
            try await recorder.waitForEmissions(count: 4, timeout: .milliseconds(10))
        }
        #expect(timeout.actualCount == 2)
        continuation.yield(3)
        continuation.finish()
        let end = try #require(await ended)
        #expect(end.actualCount == 3)
    }

    @Test("A stream that ends early is an error, and ends the wait at once (contract 46, W39)")
    func earlyEnd() async throws {
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        recorder.record(stream)
        continuation.yield(1)
        continuation.finish()
        let error = try await #require(throws: AsyncStreamRecorder<Int>.EndedError.self) {
            try await recorder.waitForEmissions(count: 3, timeout: .seconds(1000))
        }
        #expect(error.expectedCount == 3)
        #expect(error.actualCount == 1)
        #expect("\(error)" == "The sequence ended after 1 emission. The test waited for 3.")
        // A wait for existing elements still succeeds.
        try await recorder.waitForEmissions(count: 1)
        await #expect(throws: AsyncStreamRecorder<Int>.EndedError.self) {
            try await recorder.waitForNextEmission(timeout: .seconds(1000))
        }
    }

    @Test func aSequenceThatThrowsSaysWhy() async throws {
        struct Broken: Error {}
        recorder.record(AsyncThrowingStream<Int, any Error> { $0.finish(throwing: Broken()) })
        let error = try await #require(throws: AsyncStreamRecorder<Int>.EndedError.self) {
            try await recorder.waitForEmissions(count: 1, timeout: .seconds(1000))
        }
        #expect("\(error)" == "The sequence failed (Broken()) after 0 emissions. The test waited for 1.")
    }

    @Test("Starting again stops the previous recording, and keeps its elements (W39)")
    func recordTwice() async throws {
        let stopped = Signal()
        let (first, one) = AsyncStream<Int>.makeStream()
        one.onTermination = { _ in stopped.open() }
        let (second, other) = AsyncStream<Int>.makeStream()
        recorder.record(first)
        one.yield(1)
        try await recorder.waitForEmissions(count: 1)
        recorder.record(second)
        await stopped.wait()
        one.yield(2)
        other.yield(3)
        try await recorder.waitForNextEmission()
        #expect(recorder.values == [1, 3])
    }

    @Test("Recording ends when the recorder is released (W39)")
    func deinitCancels() async {
        let stopped = Signal()
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        continuation.onTermination = { _ in stopped.open() }
        var recorder: AsyncStreamRecorder<Int>? = AsyncStreamRecorder()
        recorder?.record(stream)
        await Task.megaYield()
        recorder = nil
        await stopped.wait()
    }

    @Test(arguments: [true, false])
    func cancelStopsRecording(fromAnyThread: Bool) async throws {
        let stopped = Signal()
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        continuation.onTermination = { _ in stopped.open() }
        recorder.record(stream)
        continuation.yield(1)
        try await recorder.waitForEmissions(count: 1)
        async let failure = #expect(throws: AsyncStreamRecorder<Int>.EndedError.self) {
            try await recorder.waitForEmissions(count: 2, timeout: .seconds(1000))
        }
        await Task.megaYield()
        if fromAnyThread { await Self.cancel(recorder) } else { recorder.cancel() }
        let error = try #require(await failure)
        #expect(error.actualCount == 1)
        await stopped.wait()
        continuation.yield(2)
        #expect(recorder.values == [1])
    }

    @concurrent
    private static func cancel(_ recorder: AsyncStreamRecorder<Int>) async {
        recorder.cancelAsync()
    }
}
