import LatticeConcurrency
import LatticeCore

/// A recorder that collects the elements of an asynchronous sequence and waits for them.
///
/// ```swift
/// let recorder = AsyncStreamRecorder<Int>()
/// recorder.record(numbers)
/// try await recorder.waitForEmissions(count: 3)
/// #expect(recorder.values == [1, 2, 3])
/// ```
///
/// Each wait ends in bounded time. If the sequence emits nothing, the wait ends with ``TimeoutError`` after its
/// timeout. If the sequence ends too early, it ends immediately with ``EndedError``. If the waiting task is cancelled,
/// it ends with `CancellationError`. Recording stops when the recorder is deallocated.
@MainActor
public final class AsyncStreamRecorder<Element: Sendable> {
    /// The recorded elements, in order. Recording another sequence appends to them.
    public private(set) var values: [Element] = []
    /// The reason why no more elements are recorded, or nil while there may be more.
    private var end: EndedError.Reason?
    private let changes = ChangeSignal()
    private nonisolated let task = Locked<Task<Void, Never>?>(nil)

    /// Creates a recorder that records nothing yet.
    public init() {}

    deinit {
        task.withLock(\.self)?.cancel()
    }

    /// The newest element.
    public var lastValue: Element? { values.last }

    /// Starts to record a sequence, and stops recording the previous one.
    public func record<S: AsyncSequence & Sendable>(_ sequence: S) where S.Element == Element {
        cancel()
        end = nil
        // Elements of a cancelled recording are dropped.
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

    /// Waits until `count` elements have been recorded in total.
    /// - Throws: ``TimeoutError`` when `timeout` of real time has passed, ``EndedError``, or `CancellationError`.
    public func waitForEmissions(count: Int, timeout: Duration = .seconds(5)) async throws {
        let waiting = await changes.wait(timeout: timeout) { end != nil || values.count >= count }
        guard values.count < count else { return }
        switch (waiting, end) {
        case (.cancelled, _): throw CancellationError()
        case (.met, let end?): throw EndedError(expectedCount: count, actualCount: values.count, reason: end)
        default: throw TimeoutError(expectedCount: count, actualCount: values.count)
        }
    }

    /// Waits until one more element has been recorded.
    /// - Throws: ``TimeoutError`` when `timeout` of real time has passed, ``EndedError``, or `CancellationError`.
    public func waitForNextEmission(timeout: Duration = .seconds(5)) async throws {
        try await waitForEmissions(count: values.count + 1, timeout: timeout)
    }

    /// Stops recording. The recorded elements are kept.
    public func cancel() {
        guard let task = task.withLock({ $0.take() }) else { return }
        task.cancel()
        complete(.cancelled)
    }

    /// Stops recording from any thread. The task is cancelled immediately, and waiting tasks are resumed soon after.
    public nonisolated func cancelAsync() {
        guard let task = task.withLock(\.self) else { return }
        task.cancel()
        // This task has no parent and is not awaited. A sequence that ignores cancellation would otherwise never end.
        Task { @MainActor [weak self] in
            // Another sequence may be recorded by now, and that recording continues.
            if let self, self.task.withLock({ $0 == task }) { cancel() }
        }
    }

    private func complete(_ reason: EndedError.Reason) {
        end = end ?? reason
        changes.send()
    }
}
