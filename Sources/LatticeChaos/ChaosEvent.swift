import LatticeCore

/// An event of a round, with its sender and its number.
struct ChaosEvent: Patchable, Hashable, Sendable {
    let sender: Int
    let number: Int
    /// A Boolean value that indicates whether an effect of the event has sent it.
    var isFollowUp = false
    /// A text that makes some events large.
    var text = ""

    var followUp: ChaosEvent { ChaosEvent(sender: sender, number: number, isFollowUp: true) }

    /// Fills the text with letters that differ for each event and each place.
    mutating func fill(letters: Int) {
        text = ChaosText.words(of: "\(sender).\(number)", letters: letters)
    }

    /// The identity of an event.
    struct Identifier: Hashable, Codable, Sendable {
        let sender: Int
        let number: Int
        var isFollowUp = false
    }

    var identifier: Identifier { Identifier(sender: sender, number: number, isFollowUp: isFollowUp) }
}

extension ChaosEvent.Identifier: CustomStringConvertible {
    /// Creates the identifier of an event that is no follow-up from its description.
    init?(_ description: String) {
        let numbers = description.split(separator: ".").compactMap { Int($0) }
        guard numbers.count == 2 else { return nil }
        self.init(sender: numbers[0], number: numbers[1])
    }

    var description: String { "\(sender).\(number)" + (isFollowUp ? " (follow-up)" : "") }
}

/// A hash of the applied events in order. Equal events have equal hashes, and a collision of others is very unlikely.
///
/// It is kept for each shown state in place of the events. It is 64-bit FNV-1a (draft-eastlake-fnv) over words instead
/// of bytes.
struct ChaosDigest: Hashable, Codable, Sendable {
    private(set) var count = 0
    private var sum: UInt64 = 0xcbf2_9ce4_8422_2325

    /// Adds an event. Only the length of its text is included.
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
    /// Creates the hash of a text.
    init(text: String) {
        add(text: text)
    }

    /// Creates the hash of a state. Returns nil if its events do not have the places from 0 on.
    init?(_ log: StateDictionary<Int, ChaosEvent>) {
        for (place, event) in log {
            guard place == count else { return nil }
            add(event)
        }
    }

    /// Creates the hash of events including all of their texts.
    init(all events: some Sequence<ChaosEvent>) {
        for event in events {
            add(event)
            add(text: event.text)
        }
    }
}
