import LatticeConcurrency
import LatticeCore

/// Writes down what an asynchronous sequence emits, and waits for it.
///
/// ```swift
/// let recorder = AsyncStreamRecorder<Int>()
/// recorder.record(numbers)
/// try await recorder.waitForEmissions(count: 3)
/// #expect(recorder.values == [1, 2, 3])
/// ```
///
/// Nothing waits for ever: a sequence that stays silent ends a wait with ``TimeoutError`` after its time, one that ends
/// too early with ``EndedError`` at once, and cancelling the task that waits with `CancellationError`. Recording ends
/// with the recorder.
@MainActor
public final class AsyncStreamRecorder<Element: Sendable> {
    /// What was emitted, in order. Recording another sequence adds to it.
    public private(set) var values: [Element] = []
    /// Why nothing more comes; nil while it may.
    private var end: EndedError.Reason?
    private let changes = ChangeSignal()
    private nonisolated let task = Locked<Task<Void, Never>?>(nil)

    public init() {}

    deinit {
        task.withLock(\.self)?.cancel()
    }

    /// The newest element.
    public var lastValue: Element? { values.last }

    /// Begins to record a sequence, and stops recording the one before it.
    public func record<S: AsyncSequence & Sendable>(_ sequence: S) where S.Element == Element {
        cancel()
        end = nil
        // What a recording brings that was cancelled is dropped.
        let recording = Task { [weak self] in
            var end = EndedError.Reason.finished
            do {
                for try await element in sequence {
                    guard let self, !Task.isCancelled else { return }
                    values.append(element)
                    changes.send()
                }
            } catch {
                end = .failed(error)
            }
            if !Task.isCancelled { self?.complete(end) }
        }
        task.withLock { $0 = recording }
    }

    /// Waits until `count` elements were emitted in all.
    /// - Throws: ``TimeoutError``, ``EndedError`` or `CancellationError`.
    public func waitForEmissions(count: Int, timeout: Duration = .seconds(5)) async throws {
        let waiting = await changes.wait(timeout: timeout) { end != nil || values.count >= count }
        guard values.count < count else { return }
        switch (waiting, end) {
        case (.cancelled, _): throw CancellationError()
        case (.met, let end?): throw EndedError(expectedCount: count, actualCount: values.count, reason: end)
        default: throw TimeoutError(expectedCount: count, actualCount: values.count)
        }
    }

    /// Waits until one more element is emitted.
    /// - Throws: ``TimeoutError``, ``EndedError`` or `CancellationError`.
    public func waitForNextEmission(timeout: Duration = .seconds(5)) async throws {
        try await waitForEmissions(count: values.count + 1, timeout: timeout)
    }

    /// Stops recording. What was emitted stays.
    public func cancel() {
        guard let task = task.withLock({ $0.take() }) else { return }
        task.cancel()
        complete(.cancelled)
    }

    /// Stops recording, from any thread: the task at once, and whoever waits hears of it soon.
    public nonisolated func cancelAsync() {
        guard let task = task.withLock(\.self) else { return }
        task.cancel()
        // A hop without a parent, and nothing waits for it: a sequence that ignores cancelling ends no other way.
        Task { @MainActor [weak self] in
            // Unless another sequence is recorded meanwhile.
            if let self, self.task.withLock({ $0 == task }) { cancel() }
        }
    }

    private func complete(_ reason: EndedError.Reason) {
        end = end ?? reason
        changes.send()
    }
}
