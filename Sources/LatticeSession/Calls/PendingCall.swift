import LatticeConcurrency
import LatticeWire

/// A call of this process that waits for its answer: a task, resumed once.
///
/// The answer is a reply, which ends the call, or a stream of elements, behind which the reply comes.
final class PendingCall: Sendable {
    enum Answer {
        case reply(ActorReply)
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
        /// Once it is known that the answer is a stream.
        var elements: IncomingElements?
        var hasEnded = false
        var place: (link: SessionID, call: UInt64)?
        var run: (any RunningCall)?
        /// Whether ``PendingCall/tracker`` counts it.
        var isTracked = false

        /// - Returns: Who waits for the answer.
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
    private let onEnd: (@Sendable (ActorReply) -> Void)?
    private let tracker: CallTracker?

    /// - Parameters:
    ///   - tracker: Counts the call if it runs on after its caller has given up.
    ///   - onEnd: Hears of the reply, where nobody waits for the answer.
    init(tracker: CallTracker? = nil, onEnd: (@Sendable (ActorReply) -> Void)? = nil) {
        self.tracker = tracker
        self.onEnd = onEnd
    }

    /// The call has ended: its answer is there, or will never come.
    ///
    /// - Returns: Whether its caller still waited.
    @discardableResult
    func complete(_ reply: ActorReply) -> Bool {
        let isFirst = giveUp(reply)
        if let tracker {
            let wasTracked = state.withLock { state in
                defer { state.isTracked = false }
                return state.isTracked
            }
            if wasTracked { tracker.hasEnded(isOverdue: true) }
        }
        return isFirst
    }

    /// The caller wants the answer no more, so the method is asked to end.
    func cancel() {
        guard let tracker else { return }
        state.withLock { state in
            guard !state.hasEnded, !state.isTracked else { return }
            state.isTracked = true
            // Under the lock: the answer, which may come at this moment, ends what has begun to count.
            tracker.runsOn(isOverdue: true)
        }
    }

    /// The caller waits no longer, and its method may run on. The reply tells it why.
    ///
    /// - Returns: Whether it still waited.
    func giveUp(_ reply: ActorReply) -> Bool {
        let (isFirst, elements, waiter) = state.withLock { state in
            guard !state.hasEnded else {
                return (false, nil as IncomingElements?, nil as UnsafeContinuation<Answer, Never>?)
            }
            state.hasEnded = true
            // It keeps what it answers, which is this.
            state.run = nil
            if let elements = state.elements { return (true, elements, nil) }
            return (true, nil, state.give(.reply(reply)))
        }
        elements?.end(reply)
        waiter?.resume(returning: .reply(reply))
        if isFirst { onEnd?(reply) }
        return isFirst
    }

    /// The answer is a stream, and this is its beginning or goes on with it.
    func receive(_ elements: ActorElements) {
        let (stream, waiter) = state.withLock { state in
            // Where nobody waits for an answer nobody reads one.
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

    /// Called once.
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

    /// Where it was sent; nil: nowhere.
    var place: (link: SessionID, call: UInt64)? {
        get { state.withLock(\.place) }
        set { state.withLock { $0.place = newValue } }
    }

    /// What runs in this process, if that is where it was made for.
    var run: (any RunningCall)? {
        get { state.withLock(\.run) }
        set { state.withLock { if !$0.hasEnded { $0.run = newValue } } }
    }
}
