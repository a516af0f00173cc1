import LatticeConcurrency
import LatticeWire

/// A search for a name that waits for its condition.
final class NameWait: RunningCall {
    enum Condition: Equatable {
        /// An actor has the name.
        case anyActor
        /// The list of actors with the name has another version than this one.
        case change(of: UInt64)
    }

    private let condition: Condition
    private let name: String
    private let answer: IncomingCall
    private let node: ActorNode
    private let deadline: ContinuousClock.Instant
    private let key = Locked<NameTable<NameWait>.WaiterID?>(nil)
    private let timer = Locked<Timers.Key?>(nil)

    init(_ condition: Condition, _ name: String, for limit: Duration, _ answer: IncomingCall, at node: ActorNode) {
        self.condition = condition
        self.name = name
        self.answer = answer
        self.node = node
        deadline = .now + limit
    }

    /// Answers the search if its condition is met.
    ///
    /// - Returns: Whether the search was answered.
    @discardableResult
    func answerIfMet() -> Bool {
        let value: [UInt8]
        switch condition {
        case .anyActor:
            guard let place = node.place(of: name) else { return false }
            value = place.bytes
        case .change(let known):
            let list = node.list(of: name)
            guard list.version != known else { return false }
            value = list.bytes
        }
        stopTimer()
        answer.end(ActorReply(call: 0, code: .returned, value: value))
        return true
    }

    /// The answer if the condition was not met in time.
    private var timeoutReply: ActorReply {
        switch condition {
        case .anyActor: .noName(name)
        case .change: ActorReply(call: 0, code: .returned, value: node.list(of: name).bytes)
        }
    }

    /// Answers the search, which is no longer in the table, or waits again.
    func recheck() {
        stopTimer()
        // The condition may already be unmet again.
        if !answerIfMet() { _ = begin() }
    }

    /// Adds the search to the table.
    ///
    /// - Returns: Whether the search waits. It is `false` if the search has been answered.
    func begin() -> Bool {
        let left = ContinuousClock.now.duration(to: deadline)
        guard left > .zero else {
            answer.end(timeoutReply)
            return false
        }
        // The search and its key are stored under one lock, so that a thread that removes the search finds its key.
        let waits = node.core.withLock { core in
            let key = core.names.wait(for: name, wantsAnyChange: condition != .anyActor, self)
            self.key.withLock { $0 = key }
            return key != nil
        }
        guard waits else {
            answer.end(.tooManyWait)
            return false
        }
        let timer = TimerThread.shared.after(left) { self.end(self.timeoutReply) }
        self.timer.withLock { $0 = timer }
        // The condition may have been met before the search was added.
        guard isMet, stop() else { return true }
        recheck()
        return true
    }

    private var isMet: Bool {
        node.core.withLock { core in
            switch condition {
            case .anyActor: !core.names.candidates(for: name).isEmpty
            case .change(let known): core.names.version(of: name) != known
            }
        }
    }

    func cancel() {
        end(ActorReply(call: 0, code: .cancelled))
    }

    private func end(_ reply: ActorReply) {
        guard stop() else { return }
        stopTimer()
        answer.end(reply)
    }

    /// Removes the search from the table.
    ///
    /// - Returns: Whether it was still waiting.
    private func stop() -> Bool {
        guard let key = key.withLock(\.self) else { return false }
        return node.core.withLock { $0.names.stopWaiting(key) != nil }
    }

    private func stopTimer() {
        if let timer = timer.withLock({ $0.take() }) { TimerThread.shared.cancel(timer) }
    }
}

extension ActorReply {
    static func noName(_ name: String) -> ActorReply {
        ActorReply(
            call: 0,
            code: .noName,
            reason: "no actor has the name \"\(name)\"; host one, or wait for its worker to start"
        )
    }

    static let tooManyWait = ActorReply(
        call: 0,
        code: .overloaded,
        reason:
            "\(CallLimits.maximumWaiters) calls already wait for names or ends of actors; wait until some end"
    )
}
