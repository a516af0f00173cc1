import DequeModule

/// Decides when the calls of one caller begin, in their order. It does no I/O.
///
/// Calls wait while too many bytes of answers wait for the caller to read them. How large an answer is shows only when
/// it is there. So of many calls that come at once only some begin, and each moment without a large answer lets twice
/// as many begin: methods that wait for each other all run within a few milliseconds.
struct CallStarts<Call> {
    /// How many calls of a caller begin at once after it had none.
    static var minimumAtOnce: Int { 64 }

    private(set) var running = 0
    /// How many may run now.
    private var limit = minimumAtOnce
    private var held: Deque<Call> = []
    /// The size in bytes of the answer that came last.
    private(set) var lastAnswer = 0

    /// Whether calls wait to begin.
    var isHolding: Bool { !held.isEmpty }

    /// Whether nothing has to be remembered.
    var isIdle: Bool { running == 0 && held.isEmpty }

    /// A call came.
    ///
    /// - Parameters:
    ///   - hasRoom: Whether there is room for more answers to the caller.
    ///   - call: Kept if it has to wait.
    /// - Returns: Whether the call begins now.
    mutating func begins(hasRoom: Bool, _ call: @autoclosure () -> Call) -> Bool {
        guard held.isEmpty, hasRoom, running < limit else {
            held.append(call())
            return false
        }
        running += 1
        return true
    }

    /// A call has ended with an answer of so many bytes.
    mutating func ended(_ bytes: Int) {
        running -= 1
        lastAnswer = bytes
        if isIdle { limit = Self.minimumAtOnce }
        if bytes > 0 { limit = max(1, min(limit, CallLimits.maximumWaiting / bytes)) }
    }

    /// A moment has passed in which calls waited.
    mutating func tick() {
        limit = min(2 * limit, CallLimits.maximumCalls)
    }

    /// The next call that begins now, if one does.
    mutating func next(hasRoom: Bool) -> Call? {
        guard hasRoom, running < limit, let call = held.popFirst() else { return nil }
        running += 1
        return call
    }

    /// Takes out a call that waits, which will not begin.
    ///
    /// - Parameter key: Gives the number of a call: those that wait have ascending ones.
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
