import LatticeWire
import Testing

@Suite struct OpenedChannelsTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let numbers: [UInt32]
        /// The first one that is refused, and the highest one then.
        let refused: UInt32?
        let highest: UInt32

        var testDescription: String { "\(numbers)" }
    }

    static let rows = [
        Row(numbers: [], refused: nil, highest: 0),
        Row(numbers: [1, 2, 3], refused: nil, highest: 3),
        Row(numbers: [2, 4, 900, .max], refused: nil, highest: .max),
        Row(numbers: [0], refused: 0, highest: 0),
        Row(numbers: [1, 1], refused: 1, highest: 1),
        Row(numbers: [1, 3, 2], refused: 2, highest: 3),
        Row(numbers: [.max, .max], refused: .max, highest: .max),
        Row(numbers: [.max, 1], refused: 1, highest: .max),
    ]

    @Test(arguments: rows) func numbersAscend(row: Row) {
        var opened = OpenedChannels()
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
}
