import LatticeConcurrency
import LatticeWire

/// A call of this process that waits for its answer. The waiting task is resumed once.
///
/// The answer is either an outcome, which ends the call, or a stream of elements that is followed by the outcome.
final class PendingCall: Sendable {
    enum Answer {
        case outcome(CallOutcome)
        case stream(IncomingElements)
    }

    private enum Awaited {
        case none
        case by(UnsafeContinuation<Answer, Never>)
        case given(Answer)
        case taken
    }

    private struct State {
        var answer = Awaited.none
        /// The elements, if the answer is a stream.
        var elements: IncomingElements?
        var hasEnded = false
        var place: (session: SessionID, call: UInt64)?
        var run: (any RunningCall)?
        /// The outcome to which the caller's deadline leads, if it has passed.
        var expiry: CallOutcome?
        /// Whether ``PendingCall/tracker`` counts the call.
        var isTracked = false

        /// Stores the answer.
        ///
        /// - Returns: The continuation of the task that waits for the answer, if there is one.
        mutating func give(_ new: Answer) -> UnsafeContinuation<Answer, Never>? {
            switch answer {
            case .none:
                answer = .given(new)
                return nil
            case .by(let continuation):
                answer = .taken
                return continuation
            case .given, .taken:
                return nil
            }
        }
    }

    private let state = Locked(State())
    private let onEnd: (@Sendable (CallOutcome) -> Void)?
    private let tracker: CallTracker?
    private let span: (any OpenSpan)?

    /// Creates a call.
    ///
    /// - Parameters:
    ///   - tracker: Counts the call if its method runs on after its caller has given up.
    ///   - span: The span of the call, if it is traced. It ends with the wait for the answer.
    ///   - onEnd: Receives the outcome, if no task waits for the answer.
    init(
        tracker: CallTracker? = nil,
        span: (any OpenSpan)? = nil,
        onEnd: (@Sendable (CallOutcome) -> Void)? = nil
    ) {
        self.tracker = tracker
        self.span = span
        self.onEnd = onEnd
    }

    /// Ends the call, because its answer has arrived or never will.
    ///
    /// - Returns: Whether the caller was still waiting.
    @discardableResult
    func complete(_ outcome: CallOutcome) -> Bool {
        let isFirst = giveUp(outcome)
        if let tracker {
            let wasTracked = state.withLock { state in
                defer { state.isTracked = false }
                return state.isTracked
            }
            if wasTracked { tracker.hasEnded(isOverdue: true) }
        }
        return isFirst
    }

    /// Records that the caller no longer needs the answer. The method is asked to end.
    func cancel() {
        guard let tracker else { return }
        state.withLock { state in
            guard !state.hasEnded, !state.isTracked else { return }
            state.isTracked = true
            // The count is changed under the lock, because the answer may arrive at this moment and end the counting.
            tracker.runsOn(isOverdue: true)
        }
    }

    /// Records that the deadline of the caller has passed. The caller receives this outcome, even if the other side
    /// answers that the call was cancelled.
    func expire(_ outcome: CallOutcome) {
        state.withLock { $0.expiry = outcome }
    }

    /// Ends the wait of the caller with an outcome that explains why. The method may run on.
    ///
    /// - Returns: Whether the caller was still waiting.
    func giveUp(_ given: CallOutcome) -> Bool {
        let (isFirst, outcome, elements, waiter) = state.withLock { state in
            // The other side can answer the cancellation of an expired call before the caller is resumed.
            let outcome = given.code == .cancelled ? state.expiry ?? given : given
            guard !state.hasEnded else {
                return (false, outcome, nil as IncomingElements?, nil as UnsafeContinuation<Answer, Never>?)
            }
            state.hasEnded = true
            // The running call keeps its answer, and the answer keeps this object. This breaks the cycle.
            state.run = nil
            if let elements = state.elements { return (true, outcome, elements, nil) }
            return (true, outcome, nil, state.give(.outcome(outcome)))
        }
        // The span ends before the caller continues, because the caller may read its spans then.
        if isFirst, let span { span.end(SpanEnd(outcome)) }
        elements?.end(outcome)
        waiter?.resume(returning: .outcome(outcome))
        if isFirst { onEnd?(outcome) }
        return isFirst
    }

    /// Receives elements of the answer, which is a stream. The first ones begin the stream.
    func receive(_ elements: ActorElements) {
        let (stream, waiter) = state.withLock { state in
            // A call whose answer is not awaited has no reader for a stream.
            guard !state.hasEnded, onEnd == nil else {
                return (nil as IncomingElements?, nil as UnsafeContinuation<Answer, Never>?)
            }
            if let stream = state.elements { return (stream, nil) }
            let stream = IncomingElements()
            state.elements = stream
            return (stream, state.give(.stream(stream)))
        }
        guard let stream else { return }
        stream.receive(elements)
        waiter?.resume(returning: .stream(stream))
    }

    /// Waits for the answer. Call it once.
    nonisolated(nonsending) func answer() async -> Answer {
        await withUnsafeContinuation { continuation in
            let answer = state.withLock { state -> Answer? in
                guard case .given(let answer) = state.answer else {
                    state.answer = .by(continuation)
                    return nil
                }
                state.answer = .taken
                return answer
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    /// The session over which the call was sent and its number there, or `nil` if it was not sent.
    var place: (session: SessionID, call: UInt64)? {
        get { state.withLock(\.place) }
        set { state.withLock { $0.place = newValue } }
    }

    /// The running call, if the call was made to an actor in this process.
    var run: (any RunningCall)? {
        get { state.withLock(\.run) }
        set { state.withLock { if !$0.hasEnded { $0.run = newValue } } }
    }
}
