/// A side of a session. Each side opens channels with numbers of its own, so that neither has to ask the other.
package enum SessionSide: Sendable, CaseIterable {
    /// The side that began the session. Its channels have odd numbers.
    case initiator
    /// The side that accepted the session. Its channels have even numbers.
    case acceptor

    /// The opposite side.
    package var other: SessionSide { self == .initiator ? .acceptor : .initiator }

    /// Returns the number of the next channel that this side opens.
    ///
    /// - Parameter last: The number of the channel that this side opened last, or 0 if it has opened none.
    package func channel(after last: UInt32) -> UInt32 { last == 0 ? (self == .initiator ? 1 : 2) : last + 2 }

    /// Returns whether channels with this number are opened by this side.
    package func owns(_ channel: UInt32) -> Bool { (channel % 2 == 1) == (self == .initiator) }
}

/// The channel numbers that one side of a session has opened. They ascend, so the highest number is enough to recognise
/// all of them, however many they are.
package struct OpenedChannels: Sendable, Equatable {
    /// The side that opens these channels.
    package let side: SessionSide
    /// The highest number so far, or 0 if no channel was opened.
    package private(set) var highest: UInt32 = 0

    /// Creates an empty record for one side.
    package init(by side: SessionSide) {
        self.side = side
    }

    /// Records that an `open` with this number has begun. Numbers that it leaves out are used up.
    ///
    /// - Throws: ``WireError`` if the number belongs to the other side, or is not above all earlier numbers.
    package mutating func open(_ number: UInt32) throws(WireError) {
        guard side.owns(number) else { throw .channelOfOtherSide(number, opener: side) }
        guard number > highest else { throw .channelOutOfOrder(number, after: highest) }
        highest = number
    }
}
