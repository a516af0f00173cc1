import LatticeConcurrency
import LatticeWire

/// Somebody waits for a name.
final class NameWait: RunningCall {
    enum What: Equatable {
        /// Somebody who serves it.
        case anybody
        /// Another list of those who do than the one of this version.
        case change(of: UInt64)
    }

    private let what: What
    private let name: String
    private let answer: IncomingCall
    private let node: ActorNode
    private let deadline: ContinuousClock.Instant
    private let key = Locked<NameTable<NameWait>.WaiterID?>(nil)
    private let timer = Locked<Timers.Key?>(nil)

    init(_ what: What, _ name: String, for limit: Duration, _ answer: IncomingCall, at node: ActorNode) {
        self.what = what
        self.name = name
        self.answer = answer
        self.node = node
        deadline = .now + limit
    }

    /// Answers if there is what is waited for.
    @discardableResult
    func look() -> Bool {
        let value: [UInt8]
        switch what {
        case .anybody:
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

    /// How it ends when nothing has come about in time.
    private var late: ActorReply {
        switch what {
        case .anybody: .noName(name)
        case .change: ActorReply(call: 0, code: .returned, value: node.list(of: name).bytes)
        }
    }

    /// Somebody has begun to serve the name, and it waits no longer.
    func woken() {
        stopTimer()
        // It may be gone again.
        if !look() { _ = begin() }
    }

    /// - Returns: Whether it waits; false: it has been answered.
    func begin() -> Bool {
        let left = ContinuousClock.now.duration(to: deadline)
        guard left > .zero else {
            answer.end(late)
            return false
        }
        // Under one lock: whoever takes it out finds it whole.
        let waits = node.core.withLock { core in
            let key = core.names.wait(for: name, hearsAll: what != .anybody, self)
            self.key.withLock { $0 = key }
            return key != nil
        }
        guard waits else {
            answer.end(.tooManyWait)
            return false
        }
        let timer = TimerThread.shared.after(left) { self.end(self.late) }
        self.timer.withLock { $0 = timer }
        // It may have come about in between.
        guard isThere, stop() else { return true }
        woken()
        return true
    }

    private var isThere: Bool {
        node.core.withLock { core in
            switch what {
            case .anybody: !core.names.candidates(for: name).isEmpty
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

    /// - Returns: Whether it waited.
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
            reason: "nobody serves \"\(name)\"; host it, or wait for its worker to start"
        )
    }

    static let tooManyWait = ActorReply(
        call: 0,
        code: .overloaded,
        reason: "\(CallLimits.maximumWaiters) wait here already; wait for some to end"
    )
}
