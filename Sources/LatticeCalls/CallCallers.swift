import DequeModule
import LatticeConcurrency
import LatticeSession
import LatticeWire

/// A call that was received and accepted, which runs here or waits to begin.
struct TakenCall {
    let call: ActorCall
    let context: CallContext
    /// The number of bytes that the call keeps in memory.
    let weight: Int

    var caller: UInt64 { call.caller ?? CallOutbox.direct }
}

/// The callers that use a session: the other side itself, and the processes whose calls it passes on.
struct CallCallers {
    struct Caller {
        var starts = CallStarts<TakenCall>()
        /// Methods that have returned and wait for room before they encode their results, and streams that wait for
        /// room before they send their next elements.
        var ready: Deque<OneShot<Void>> = []

        var isIdle: Bool { starts.isIdle && ready.isEmpty }
    }

    // Most calls come from the other side itself. Its state needs no dictionary lookup.
    private var direct = Caller()
    private var others: [UInt64: Caller] = [:]

    subscript(number: UInt64) -> Caller {
        number == CallOutbox.direct ? direct : others[number] ?? Caller()
    }

    /// Changes the state of a caller.
    ///
    /// This is a function with a closure, because a `_modify` accessor allocates memory for each access: 3 of the 18
    /// allocations of a call at its actor in `lattice-bench actors`.
    @inline(__always)
    mutating func update<Result>(_ number: UInt64, _ change: (inout Caller) -> Result) -> Result {
        number == CallOutbox.direct ? change(&direct) : change(&others[number, default: Caller()])
    }

    /// Returns the next waiter for room, if there is one.
    mutating func popReady(_ number: UInt64) -> OneShot<Void>? {
        guard number != CallOutbox.direct else { return direct.ready.popFirst() }
        defer { forgetIfIdle(number) }
        return others[number]?.ready.popFirst()
    }

    /// Removes and returns the waiters that may answer now. Their number is estimated from the room and the size of the
    /// last answer.
    mutating func takeReady(beside outbox: CallOutbox) -> [OneShot<Void>] {
        var ready: [OneShot<Void>] = []
        for caller in waiting {
            let room = CallLimits.backlogThreshold - outbox.bytes(for: caller)
            if room >= 0 { ready += popReady(caller, room: room) }
        }
        return ready
    }

    /// Removes and returns the waiters whose answers probably fit into the room, at least one. An answer is expected to
    /// be as large as the last one.
    private mutating func popReady(_ number: UInt64, room: Int) -> [OneShot<Void>] {
        update(number) { caller in
            let count = min(caller.ready.count, 1 + room / max(1, caller.starts.lastAnswer))
            defer { caller.ready.removeFirst(count) }
            return Array(caller.ready.prefix(count))
        }
    }

    /// Removes a waiter for room that no longer waits.
    mutating func stopWaiting(_ waiter: OneShot<Void>, for number: UInt64) {
        guard let index = self[number].ready.firstIndex(where: { $0 === waiter }) else { return }
        _ = update(number) { $0.ready.remove(at: index) }
        forgetIfIdle(number)
    }

    /// Removes and returns a call that waits to begin.
    ///
    /// - Parameters:
    ///   - number: The number of the call.
    ///   - holding: The callers that have such calls.
    mutating func takeHeld(_ number: UInt64, of holding: inout Set<UInt64>) -> TakenCall? {
        for caller in holding {
            let held = update(caller) { $0.starts.takeHeld(number, by: { $0.call.call }) }
            guard let taken = held else { continue }
            if !self[caller].starts.isHolding { holding.remove(caller) }
            forgetIfIdle(caller)
            return taken
        }
        return nil
    }

    /// Removes the state of a caller that has nothing in progress.
    mutating func forgetIfIdle(_ number: UInt64) {
        guard number != CallOutbox.direct, others[number]?.isIdle == true else { return }
        others[number] = nil
    }

    /// The callers for which methods or streams wait for room.
    var waiting: [UInt64] {
        (direct.ready.isEmpty ? [] : [CallOutbox.direct]) + others.filter { !$0.value.ready.isEmpty }.keys
    }
}
