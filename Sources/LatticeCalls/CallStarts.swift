import DequeModule

/// Decides when the calls of one caller begin, in order. It does no I/O.
///
/// Calls wait while the caller has too many bytes of answers to read. The size of an answer is only known when it
/// exists, so of many calls that arrive at once only some begin. Each tick without a large answer doubles the number of
/// calls that may run. Methods that wait for each other therefore all run within a few milliseconds.
struct CallStarts<Call> {
    /// The number of calls that begin at once if the caller had none.
    static var minimumAtOnce: Int { 64 }

    private(set) var running = 0
    /// The number of calls that may run now.
    private var limit = minimumAtOnce
    private var held: Deque<Call> = []
    /// The size in bytes of the last answer.
    private(set) var lastAnswer = 0

    /// Whether calls wait to begin.
    var isHolding: Bool { !held.isEmpty }

    /// Whether no call runs or waits.
    var isIdle: Bool { running == 0 && held.isEmpty }

    /// Receives a call.
    ///
    /// - Parameters:
    ///   - hasRoom: Whether there is room for more answers to the caller.
    ///   - call: The call, which is kept if it has to wait.
    /// - Returns: Whether the call begins now.
    mutating func begins(hasRoom: Bool, _ call: @autoclosure () -> Call) -> Bool {
        guard held.isEmpty, hasRoom, running < limit else {
            held.append(call())
            return false
        }
        running += 1
        return true
    }

    /// Records that a call has ended with an answer of the given number of bytes.
    mutating func ended(_ bytes: Int) {
        running -= 1
        lastAnswer = bytes
        if isIdle { limit = Self.minimumAtOnce }
        if bytes > 0 { limit = max(1, min(limit, CallLimits.backlogThreshold / bytes)) }
    }

    /// Doubles the number of calls that may run, after calls have waited for a tick.
    mutating func tick() {
        limit = min(2 * limit, CallLimits.maximumCalls)
    }

    /// Removes and returns the next call that may begin now, if there is one.
    mutating func next(hasRoom: Bool) -> Call? {
        guard hasRoom, running < limit, let call = held.popFirst() else { return nil }
        running += 1
        return call
    }

    /// Removes and returns a call that waits. The call will not begin.
    ///
    /// - Parameters:
    ///   - number: The number of the call.
    ///   - key: Returns the number of a call. The numbers of the waiting calls ascend.
    mutating func takeHeld(_ number: UInt64, by key: (Call) -> UInt64) -> Call? {
        var (low, high) = (held.startIndex, held.endIndex)
        while low < high {
            let middle = (low + high) / 2
            if key(held[middle]) < number { low = middle + 1 } else { high = middle }
        }
        guard low < held.endIndex, key(held[low]) == number else { return nil }
        return held.remove(at: low)
    }
}
