import LatticeCore
import LatticeSession

/// The outcomes that were put on a connection, for a client that lost it and asks again.
///
/// Almost all events finish, so only the other outcomes take room.
struct SentOutcomes: Sendable {
    /// How many are kept.
    static var limit: Int { 4096 }

    private var unusual: [UInt64: EventOutcome] = [:]
    private var order: [UInt64] = []
    private var head = 0
    /// Of events up to here it is not known any more how they ended.
    private var forgotten: UInt64 = 0

    mutating func note(_ event: UInt64, _ outcome: EventOutcome) {
        guard outcome != .finished, unusual.updateValue(outcome, forKey: event) == nil else { return }
        order.append(event)
        guard order.count - head > Self.limit else { return }
        forgotten = max(forgotten, order[head])
        unusual[order[head]] = nil
        head += 1
        if head > Self.limit {
            order.removeFirst(head)
            head = 0
        }
    }

    /// How an event ended that is known to have ended.
    func outcome(of event: UInt64) -> EventOutcome {
        unusual[event] ?? (event <= forgotten ? .unknown(.tooLongAgo) : .finished)
    }
}
