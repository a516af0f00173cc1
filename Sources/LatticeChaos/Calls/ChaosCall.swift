/// One call of an actor in a round: who makes it, which method it is, and what happens to it by plan.
struct ChaosCall: Equatable, Sendable {
    /// What a call is known by, in every process.
    struct Identifier: Hashable, Codable, Sendable {
        let caller: Int
        /// Which of the caller's lanes: those of one lane are made one after the other.
        let lane: Int
        let number: Int
    }

    /// What is called, of ``ChaosCallee``.
    enum Method: String, CaseIterable, Sendable {
        case answer
        /// Computes for a moment, whoever cancels it.
        case spin
        /// Ends only when it is cancelled, or with its worker.
        case wait
        /// Throws an error that both sides have registered.
        case fail
        /// Throws one that nobody has.
        case failUntold
        /// Calls an actor of the caller's process, which it is given as an argument.
        case callBack
        /// Kills its worker.
        case die
    }

    /// When the task that makes it is cancelled.
    enum Cancelling: Equatable, Sendable {
        case never
        /// It never makes the call.
        case before
        case after(milliseconds: Int)
    }

    let identifier: Identifier
    let method: Method
    /// Whether a pool says which actor is called.
    let isPooled: Bool
    let cancelling: Cancelling
    /// nil: it has no deadline.
    let limitMilliseconds: Int?
    /// Whether its lane goes on only when it has ended.
    var isAwaited = false
    /// Whether its lane looks for the actor's name first, even if it has one.
    var looksFirst = false
    /// About how many its argument has.
    var letters = 0
    var answerLetters = 0

    /// A deadline that is this late only travels along.
    static let longMilliseconds = 600_000

    /// Whether its deadline may pass before it ends.
    var mayExpire: Bool { limitMilliseconds.map { $0 < Self.longMilliseconds } ?? false }

    /// What it sends.
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
