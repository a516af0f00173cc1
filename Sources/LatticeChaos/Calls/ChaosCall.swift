/// A call of an actor in a round: its caller, its method, and what happens to it.
struct ChaosCall: Equatable, Sendable {
    /// The identity of a call in every process.
    struct Identifier: Hashable, Codable, Sendable {
        let caller: Int
        /// The lane of the caller. The calls of a lane are made one after the other.
        let lane: Int
        let number: Int
    }

    /// The method of ``ChaosCallee`` that is called.
    enum Method: String, CaseIterable, Sendable {
        case answer
        /// Computes for a short time, even if it is cancelled.
        case spin
        /// Ends only when it is cancelled or its worker ends.
        case wait
        /// Throws an error that is registered on both sides.
        case fail
        /// Throws an error that is not registered.
        case failUnregistered
        /// Calls an actor of the caller's process, which it gets as an argument.
        case callBack
        /// Kills its worker.
        case die
    }

    /// When the calling task is cancelled.
    enum Cancelling: Equatable, Sendable {
        case never
        /// The task is cancelled before it makes the call.
        case before
        case after(milliseconds: Int)
    }

    let identifier: Identifier
    let method: Method
    /// A Boolean value that indicates whether a pool chooses the actor.
    let isPooled: Bool
    let cancelling: Cancelling
    /// The time until the deadline, or nil for a call without one.
    let timeoutMilliseconds: Int?
    /// A Boolean value that indicates whether its lane continues only when the call has ended.
    var isAwaited = false
    /// A Boolean value that indicates whether its lane resolves the actor's name first, even if it has an actor.
    var looksFirst = false
    /// The approximate number of letters of the argument.
    var letters = 0
    /// The approximate number of letters of the answer.
    var answerLetters = 0

    /// A time until a deadline that is never reached. Such a deadline is only sent along.
    static let longMilliseconds = 600_000

    /// A Boolean value that indicates whether the deadline may pass before the call ends.
    var mayExpire: Bool { timeoutMilliseconds.map { $0 < Self.longMilliseconds } ?? false }

    /// The argument of the call.
    var question: ChaosQuestion {
        ChaosQuestion(
            call: identifier,
            text: ChaosText.words(of: "\(identifier)", letters: letters),
            answerLetters: answerLetters
        )
    }
}

extension ChaosCall.Identifier: CustomStringConvertible, LosslessStringConvertible {
    init?(_ description: String) {
        let numbers = description.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.count == 3, let caller = numbers[0], let lane = numbers[1], let number = numbers[2] else {
            return nil
        }
        self.init(caller: caller, lane: lane, number: number)
    }

    var description: String { "\(caller).\(lane).\(number)" }
}
