import DequeModule
import LatticeConcurrency
import LatticeWire

/// A call that came, with what it keeps while it runs here or waits for that.
struct TakenCall {
    let call: ActorCall
    let terms: CallContext
    /// The bytes that it keeps.
    let weight: Int

    var caller: UInt64 { call.caller ?? CallOutbox.direct }
}

/// What a session knows of those who call over it: the other side itself, and the processes whose calls it passes on.
struct CallCallers {
    struct Caller {
        var starts = CallStarts<TakenCall>()
        /// Methods that have returned, and whose results are encoded when there is room for the answers, and streams
        /// whose next elements are sent then.
        var ready: Deque<OneShot<Void>> = []

        var isIdle: Bool { starts.isIdle && ready.isEmpty }
    }

    // Most calls come from the other side itself, and need not be looked up.
    private var direct = Caller()
    private var others: [UInt64: Caller] = [:]

    subscript(number: UInt64) -> Caller {
        get { number == CallOutbox.direct ? direct : others[number] ?? Caller() }
        _modify {
            if number == CallOutbox.direct { yield &direct } else { yield &others[number, default: Caller()] }
        }
    }

    /// - Returns: What waits for room and has its turn now.
    mutating func popReady(_ number: UInt64) -> OneShot<Void>? {
        guard number != CallOutbox.direct else { return direct.ready.popFirst() }
        defer { forgetIfIdle(number) }
        return others[number]?.ready.popFirst()
    }

    /// What waited for room waits no more.
    mutating func stopWaiting(_ waiter: OneShot<Void>, for number: UInt64) {
        guard let index = self[number].ready.firstIndex(where: { $0 === waiter }) else { return }
        self[number].ready.remove(at: index)
        forgetIfIdle(number)
    }

    /// Takes out a call that waits to begin.
    ///
    /// - Parameter holding: The callers with such calls.
    mutating func takeHeld(_ number: UInt64, of holding: inout Set<UInt64>) -> TakenCall? {
        for caller in holding {
            guard let taken = self[caller].starts.takeHeld(number, by: { $0.call.call }) else { continue }
            if !self[caller].starts.isHolding { holding.remove(caller) }
            forgetIfIdle(caller)
            return taken
        }
        return nil
    }

    /// Forgets a caller of which nothing has to be remembered.
    mutating func forgetIfIdle(_ number: UInt64) {
        guard number != CallOutbox.direct, others[number]?.isIdle == true else { return }
        others[number] = nil
    }

    /// The callers for which methods have returned whose answers wait for room.
    var waiting: [UInt64] {
        (direct.ready.isEmpty ? [] : [CallOutbox.direct]) + others.filter { !$0.value.ready.isEmpty }.keys
    }
}
