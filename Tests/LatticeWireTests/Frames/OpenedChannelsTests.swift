import Testing

@testable import LatticeWire

@Suite struct OpenedChannelsTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var side = SessionSide.initiator
        let numbers: [UInt32]
        /// The first number that is refused, and the highest number at that time.
        let refused: UInt32?
        let highest: UInt32

        var testDescription: String { "\(side): \(numbers)" }
    }

    static let rows = [
        Row(numbers: [], refused: nil, highest: 0),
        Row(numbers: [1, 3, 5], refused: nil, highest: 5),
        Row(side: .acceptor, numbers: [2, 4, 6], refused: nil, highest: 6),
        Row(numbers: [3, 5, 901, .max], refused: nil, highest: .max),
        Row(side: .acceptor, numbers: [4, 900, .max - 1], refused: nil, highest: .max - 1),
        Row(numbers: [1, 2], refused: 2, highest: 1),
        Row(side: .acceptor, numbers: [2, 3], refused: 3, highest: 2),
        Row(side: .acceptor, numbers: [0], refused: 0, highest: 0),
        Row(numbers: [0], refused: 0, highest: 0),
        Row(numbers: [1, 1], refused: 1, highest: 1),
        Row(numbers: [1, 5, 3], refused: 3, highest: 5),
        Row(side: .acceptor, numbers: [6, 2], refused: 2, highest: 6),
        Row(numbers: [.max, .max], refused: .max, highest: .max),
        Row(numbers: [.max, 1], refused: 1, highest: .max),
    ]

    @Test(arguments: rows) func numbersAscend(row: Row) {
        var opened = OpenedChannels(by: row.side)
        var refused: UInt32?
        for number in row.numbers {
            do throws(WireError) {
                try opened.open(number)
            } catch {
                #expect(error.code == .outOfOrder)
                refused = number
            }
        }
        #expect(refused == row.refused)
        #expect(opened.highest == row.highest)
    }

    @Test func eachSideNumbersItsOwn() throws {
        for side in SessionSide.allCases {
            var opened = OpenedChannels(by: side)
            for _ in 0..<3 { try opened.open(side.channel(after: opened.highest)) }
            #expect(opened.highest == (side == .initiator ? 5 : 6))
            #expect(side.other.channel(after: 0) != side.channel(after: 0))
        }
    }

    @Test(arguments: [
        (
            SessionSide.initiator, [2],
            WireError.channelOfOtherSide(2, opener: .initiator).sentence
        ),
        (
            .acceptor, [2, 3],
            WireError.channelOfOtherSide(3, opener: .acceptor).sentence
        ),
        (
            .acceptor, [2, 2],
            WireError.channelOutOfOrder(2, after: 2).sentence
        ),
    ])
    func refusalsAreSaid(side: SessionSide, numbers: [UInt32], sentence: String) {
        var opened = OpenedChannels(by: side)
        let error = #expect(throws: WireError.self) { for number in numbers { try opened.open(number) } }
        #expect(error?.sentence == sentence)
    }
}
