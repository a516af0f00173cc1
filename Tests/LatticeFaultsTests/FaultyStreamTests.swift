import Testing

@testable import LatticeFaults

struct FaultyStreamTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let faults: [ConnectionFault]
        /// The number of available bytes.
        let count: Int
        /// The expected steps.
        let steps: [FaultyStream.Step]

        init(_ name: String, _ faults: [ConnectionFault], _ count: Int, _ steps: [FaultyStream.Step]) {
            (testDescription, self.faults, self.count, self.steps) = (name, faults, count, steps)
        }
    }

    @Test(
        arguments: [
            Case("without faults all bytes move at once", [], 10, [.move(10)]),
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
                "a stall happens once, before its byte",
                [.init(.reading, at: 4, .stall(.milliseconds(9)))],
                6,
                [.move(4), .stall(.milliseconds(9)), .move(2)]
            ),
            Case(
                "what is at one place comes one after the other, as in the plan",
                [
                    .init(.reading, at: 0, .stall(.milliseconds(1))), .init(.reading, at: 0, .stall(.milliseconds(2))),
                    .init(.reading, at: 0, .kill),
                ],
                1,
                [.stall(.milliseconds(1)), .stall(.milliseconds(2)), .afflict(.kill), .move(1)]
            ),
            Case(
                "nothing moves behind a cut",
                [.init(.reading, at: 2, .cut), .init(.reading, at: 5, .stall(.milliseconds(1)))],
                9,
                [.move(2), .cut, .cut]
            ),
            Case(
                "what happens to the process is in its turn, and the bytes go on",
                [.init(.reading, at: 2, .kill), .init(.reading, at: 1, .pause(.seconds(1)))],
                4,
                [.move(1), .afflict(.pause(.seconds(1))), .move(1), .afflict(.kill), .move(2)]
            ),
            Case(
                "a place as high as there are any ends nothing",
                [.init(.reading, at: .max, .split(piece: 0, length: .max)), .init(.reading, at: .max, .cut)],
                4,
                [.move(4)]
            ),
            Case(
                "faults of the other direction and of other connections do nothing",
                [.init(.writing, at: 0, .cut), .init(.reading, at: 0, .cut, on: 1)],
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
        var stream = FaultyStream(FaultPlan(example.faults.map(Fault.connection)), .reading, of: 0)
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

    @Test func eachFaultIsReportedOnce() {
        let faults = [
            ConnectionFault(.reading, at: 0, .split(piece: 1, length: 3)), ConnectionFault(.reading, at: 2, .kill),
            ConnectionFault(.reading, at: 9, .cut), ConnectionFault(.reading, at: 5, .split(piece: 1, length: 1)),
        ]
        var stream = FaultyStream(FaultPlan(faults.map(Fault.connection)), .reading, of: 0)
        #expect(stream.takeStruck().isEmpty)
        for _ in 0..<2 {
            #expect(stream.next(4) == .move(1))
            stream.moved(1)
        }
        #expect(stream.takeStruck() == [faults[0]])
        #expect(stream.next(2) == .afflict(.kill))
        #expect(stream.takeStruck() == [faults[1]])
        #expect(stream.next(2) == .move(1))
        #expect(stream.takeStruck().isEmpty)
    }
}
