import Testing

@testable import LatticeTesting

struct FaultyStreamTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let faults: [ConnectionFault]
        /// Of the bytes that are there.
        let count: Int
        /// What is done with them.
        let steps: [FaultyStream.Step]

        init(_ name: String, _ faults: [ConnectionFault], _ count: Int, _ steps: [FaultyStream.Step]) {
            (testDescription, self.faults, self.count, self.steps) = (name, faults, count, steps)
        }
    }

    @Test(
        arguments: [
            Case("without faults all moves at once", [], 10, [.move(10)]),
            Case(
                "what is split moves in pieces, and what is around it does not",
                [.init(.reading, at: 3, .split(piece: 2, length: 5))],
                12,
                [.move(3), .move(2), .move(2), .move(2), .move(3)]
            ),
            Case(
                "the smallest piece counts where two overlap",
                [
                    .init(.reading, at: 0, .split(piece: 4, length: 8)),
                    .init(.reading, at: 4, .split(piece: 1, length: 2)),
                ],
                8,
                [.move(4), .move(1), .move(1), .move(2)]
            ),
            Case(
                "a stall stands still once, before its byte",
                [.init(.reading, at: 4, .stall(milliseconds: 9))],
                6,
                [.move(4), .stall(milliseconds: 9), .move(2)]
            ),
            Case(
                "stalls at one place come one after the other",
                [.init(.reading, at: 0, .stall(milliseconds: 1)), .init(.reading, at: 0, .stall(milliseconds: 1))],
                1,
                [.stall(milliseconds: 1), .stall(milliseconds: 1), .move(1)]
            ),
            Case(
                "nothing moves behind a cut",
                [.init(.reading, at: 2, .cut), .init(.reading, at: 5, .stall(milliseconds: 1))],
                9,
                [.move(2), .cut, .cut]
            ),
            Case(
                "faults of the other direction do nothing",
                [.init(.writing, at: 0, .cut)],
                3,
                [.move(3)]
            ),
            Case(
                "a place that is passed counts with the next byte",
                [.init(.reading, at: 0, .split(piece: 8, length: 0)), .init(.reading, at: 1, .cut)],
                4,
                [.move(1), .cut]
            ),
        ]
    )
    func steps(of example: Case) {
        var stream = FaultyStream(FaultPlan(example.faults), .reading)
        var left = example.count
        for expected in example.steps {
            let step = stream.next(left)
            #expect(step == expected)
            guard case .move(let count) = step else { continue }
            stream.moved(count)
            left -= count
        }
        #expect(left == 0 || stream.next(left) == .cut)
    }
}
