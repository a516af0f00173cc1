/// A side of a session. Each opens channels with numbers of its own, so that both can without asking each other.
package enum SessionSide: Sendable, CaseIterable {
    /// Who began the session: its channels have odd numbers.
    case initiator
    /// Who accepted it: its channels have even numbers.
    case acceptor

    package var other: SessionSide { self == .initiator ? .acceptor : .initiator }

    /// The channel that this side opens behind another one of its own, or as its first.
    ///
    /// - Parameter last: 0 before the first.
    package func channel(after last: UInt32) -> UInt32 { last == 0 ? (self == .initiator ? 1 : 2) : last + 2 }

    package func owns(_ channel: UInt32) -> Bool { (channel % 2 == 1) == (self == .initiator) }
}

/// The numbers of the channels that one side of a session has opened. They ascend, so that the highest one tells of all
/// others, however many there were.
package struct OpenedChannels: Sendable, Equatable {
    package let side: SessionSide
    /// 0 before the first.
    package private(set) var highest: UInt32 = 0

    package init(by side: SessionSide) {
        self.side = side
    }

    /// An `open` begins. Numbers that it leaves out are used up.
    ///
    /// - Throws: ``WireError`` when the number is one of the other side's, that of a channel before, or below one.
    package mutating func open(_ number: UInt32) throws(WireError) {
        guard side.owns(number) else { throw .channelOfOtherSide(number, opener: side) }
        guard number > highest else { throw .channelOutOfOrder(number, after: highest) }
        highest = number
    }
}
