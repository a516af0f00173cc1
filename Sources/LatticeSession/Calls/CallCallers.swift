import DequeModule
import LatticeWire

/// A call that came, with what it keeps while it runs here or waits for that.
struct TakenCall {
    let call: ActorCall
    let terms: CallTerms
    /// The bytes that it keeps.
    let weight: Int

    var caller: UInt64 { call.caller ?? CallOutbox.direct }
}

/// What a session knows of those who call over it: the other side itself, and the processes whose calls it passes on.
struct CallCallers {
    struct Caller {
        var starts = CallStarts<TakenCall>()
        /// Methods that have returned, and whose results are encoded when there is room for the answers.
        var ready: Deque<UnsafeContinuation<Void, Never>> = []

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
