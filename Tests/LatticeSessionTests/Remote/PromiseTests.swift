import LatticeSession
import LatticeTestSupport
import Testing

@Suite(.timeLimit(.minutes(3)))
struct PromiseTests {
    @Test func everyWaiterGetsTheFirstValue() async throws {
        let promise = Promise<Int>()
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<50 { group.addTask { try await promise.value } }
            promise.fulfil(.success(1))
            promise.fulfil(.success(2))
            for try await value in group { #expect(value == 1) }
        }
        #expect(try await promise.value == 1)
        #expect(promise.isFulfilled)
    }

    @Test func aFailureIsThrown() async {
        let promise = Promise<Int>()
        #expect(!promise.isFulfilled)
        promise.fulfil(.failure(SessionError.endedEarly))
        await #expect(throws: SessionError.endedEarly) { _ = try await promise.value }
    }

    @Test func aCancelledWaiterStopsWaitingAndTheOthersGoOn() async throws {
        let promise = Promise<Int>()
        let began = Watched(false)
        let cancelled = Task {
            began.change { $0 = true }
            return try await promise.value
        }
        let other = Task { try await promise.value }
        try await began.until { $0 }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { _ = try await cancelled.value }
        promise.fulfil(.success(3))
        #expect(try await other.value == 3)
    }

    @Test func whoIsCancelledAlreadyDoesNotWait() async {
        let promise = Promise<Int>()
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await promise.value
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
    }
}
