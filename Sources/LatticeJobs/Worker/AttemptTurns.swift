import LatticeConcurrency

/// The turns of the attempts of a worker that runs one at a time, of which some were sent ahead. It does no I/O and has
/// no clock.
///
/// An attempt that was sent ahead begins when all before it have ended and their answers are in the socket. If the
/// worker ends, its pool therefore knows which attempt ran.
struct AttemptTurns: Sendable {
    /// Completed with true when the attempt begins, and with false when it was taken back.
    typealias Turn = OneShot<Bool>

    /// The next step of an attempt that arrives.
    enum Arrival: Sendable {
        case begins
        case waits(Turn)
        /// The attempt before it is not here. The pool sends this one again.
        case refused
    }

    private struct Attempt {
        let number: UInt64
        /// Nil if the attempt has begun.
        var turn: Turn?
    }

    /// The attempts whose answers are not written. The first one runs, or has begun, or was taken back.
    private var attempts: [Attempt] = []
    /// The attempt whose answer was written last.
    private var lastEnded: UInt64?

    /// Adds an attempt.
    ///
    /// - Parameter earlier: The attempt after whose end it begins, if it was sent ahead.
    mutating func add(_ number: UInt64, after earlier: UInt64?) -> Arrival {
        let last = attempts.last?.number ?? lastEnded
        if let earlier, last != earlier { return .refused }
        let turn = earlier != nil && !attempts.isEmpty ? Turn() : nil
        attempts.append(Attempt(number: number, turn: turn))
        return turn.map { .waits($0) } ?? .begins
    }

    /// Removes an attempt whose answer is written.
    ///
    /// - Returns: The turn of the attempt that begins, if one does.
    mutating func end(_ number: UInt64) -> Turn? {
        attempts.removeAll { $0.number == number }
        lastEnded = number
        return attempts.isEmpty ? nil : attempts[0].turn.take()
    }

    /// Returns the turn of an attempt that waits, or nil if it does not. The attempt stays until its answer is written.
    func waiting(_ number: UInt64) -> Turn? { attempts.first { $0.number == number }?.turn }

    /// The turns of all attempts that wait.
    var waiting: [Turn] { attempts.compactMap(\.turn) }
}
