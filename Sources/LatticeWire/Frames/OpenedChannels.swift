/// The numbers of the channels that one side of a session has opened. They ascend, so that the highest one tells of all
/// others, however many there were.
package struct OpenedChannels: Sendable, Equatable {
    /// 0 before the first.
    package private(set) var highest: UInt32 = 0

    package init() {}

    /// An `open` begins. Numbers that it leaves out are used up.
    ///
    /// - Throws: ``WireError`` when the number is that of a channel before, or below one.
    package mutating func open(_ number: UInt32) throws(WireError) {
        guard number > highest else { throw .channelOutOfOrder(number, after: highest) }
        highest = number
    }
}
