import LatticeCore

/// One event of a round: who sent it, and as which of theirs.
struct ChaosEvent: Patchable, Hashable, Sendable {
    let sender: Int
    let number: Int
    /// Whether an effect of the event has sent it.
    var isFollowUp = false
    /// What makes some of them large.
    var text = ""

    var followUp: ChaosEvent { ChaosEvent(sender: sender, number: number, isFollowUp: true) }

    /// Has it carry so many letters, which are others for each event and each place.
    mutating func fill(letters: Int) {
        text = ChaosText.words(of: "\(sender).\(number)", letters: letters)
    }

    /// What it is known by.
    struct Identifier: Hashable, Codable, Sendable {
        let sender: Int
        let number: Int
        var isFollowUp = false
    }

    var identifier: Identifier { Identifier(sender: sender, number: number, isFollowUp: isFollowUp) }
}

extension ChaosEvent.Identifier: CustomStringConvertible {
    /// One that is no follow-up, by its description.
    init?(_ description: String) {
        let numbers = description.split(separator: ".").compactMap { Int($0) }
        guard numbers.count == 2 else { return nil }
        self.init(sender: numbers[0], number: numbers[1])
    }

    var description: String { "\(sender).\(number)" + (isFollowUp ? " (follow-up)" : "") }
}

/// What is made of the events that were applied, one after the other: equal for equal ones, else hardly ever.
///
/// Of each state that is shown this is kept in place of the events. The sum is FNV-1a's
/// (draft-eastlake-fnv, 64 bits), over words in place of bytes.
struct ChaosDigest: Hashable, Codable, Sendable {
    private(set) var count = 0
    private var sum: UInt64 = 0xcbf2_9ce4_8422_2325

    /// Of a text the length counts.
    mutating func add(_ event: ChaosEvent) {
        count += 1
        for word in [event.sender, event.number, event.isFollowUp ? 1 : 0, event.text.utf8.count] {
            add(UInt64(truncatingIfNeeded: word))
        }
    }

    mutating func add(text: String) {
        for byte in text.utf8 { add(UInt64(byte)) }
    }

    private mutating func add(_ word: UInt64) {
        sum = (sum ^ word) &* 0x0000_0100_0000_01b3
    }
}

extension ChaosDigest {
    /// Of a text alone.
    init(text: String) {
        add(text: text)
    }

    /// Of a state, if its events are in the places from 0 on.
    init?(_ log: StateDictionary<Int, ChaosEvent>) {
        for (place, event) in log {
            guard place == count else { return nil }
            add(event)
        }
    }

    /// Of events with all of their texts.
    init(all events: some Sequence<ChaosEvent>) {
        for event in events {
            add(event)
            add(text: event.text)
        }
    }
}
