import LatticeCoding
import LatticeWire
import Testing

@testable import LatticeSession

/// Tests both ends of a channel's table of origins.
@Suite struct EventOriginsTests {
    private func origin(_ channel: UInt32) -> EventName.Origin {
        EventName.Origin(sender: UInt128(channel) << 64 | 7, channel: channel)
    }

    @Test func anOriginIsIntroducedOnce() {
        var index = OriginIndex()
        let (one, other) = (origin(1), origin(2))
        let answers = [one, one, other, one, other].map { index.index(of: $0) }
        #expect(answers.map(\.index) == [0, 0, 1, 0, 1])
        #expect(answers.map(\.isNew) == [true, false, true, false, false])
    }

    @Test func theOldestMakesRoomAndIsIntroducedAgain() {
        var index = OriginIndex()
        let origins = (0...1_024).map { origin(UInt32($0)) }
        for (place, origin) in origins.enumerated() {
            let answer = index.index(of: origin)
            #expect(answer == (UInt32(place % 1_024), true))
        }
        #expect(index.index(of: origins[1]) == (1, false))
        #expect(index.index(of: origins[0]) == (1, true))
        #expect(index.index(of: origins[1]) == (2, true))
        #expect(index.index(of: origins[1_024]) == (0, false))
    }

    @Test("An index stands for the origin that was introduced with it, however high the first index is")
    func aHighIndex() throws {
        var table = OriginTable(opener: origin(1))
        table.introduce(OriginMessage(index: 1_023, sender: origin(2).senderBytes, channel: 2))
        func name(_ index: UInt32) throws -> EventName {
            let message = EventMessage(event: 1, action: [], origin: .init(index: index, number: 5))
            return try message.encoded.withBytes { bytes throws(WireError) in
                try table.name(of: EventMessage.Borrowed(decoding: bytes))
            }
        }
        #expect(try name(1_023) == EventName(origin: origin(2), number: 5))
        let error = #expect(throws: WireError.self) { try name(1_022) }
        #expect(error?.sentence.contains("Event 1 comes from origin 1022, which was not introduced") == true)
    }

    @Test func bothEndsAgreeWhateverComes() throws {
        // The order does not matter, as long as it is another one each time around.
        var step = 7
        let opener = origin(1)
        let origins = (0..<40).map { origin($0) }
        var (index, table) = (OriginIndex(limit: 8), OriginTable(opener: opener))
        for number in 1...2_000 as ClosedRange<UInt64> {
            let origin = origins[step % 40]
            step = step &* 31 % 9973
            let answer = index.index(of: origin)
            #expect(answer.index < 8)
            if answer.isNew {
                let sender = origin.senderBytes
                table.introduce(OriginMessage(index: answer.index, sender: sender, channel: origin.channel))
            }
            let message = EventMessage(event: 1, action: [], origin: .init(index: answer.index, number: number))
            let name = try message.encoded.withBytes { bytes throws(WireError) in
                try table.name(of: EventMessage.Borrowed(decoding: bytes))
            }
            #expect(name == EventName(origin: origin, number: number))
        }
    }

    @Test("A sender that comes back as another process is introduced again, under the same name")
    func anotherProcess() throws {
        var (one, other) = (origin(2), origin(2))
        (one.connection, other.connection) = (1, 2)
        var index = OriginIndex()
        #expect(index.index(of: one) == (0, true))
        #expect(index.index(of: other) == (1, true))
        #expect(index.index(of: one) == (0, false))
        #expect(one == other && Set([one, other]).count == 1)

        var table = OriginTable(opener: origin(1))
        for (place, process) in [(0, 71), (1, 72)] as [(UInt32, UInt32)] {
            let sender = one.senderBytes
            table.introduce(OriginMessage(index: place, sender: sender, channel: 2, processID: process, userID: 1))
        }
        func name(_ index: UInt32) throws -> EventName {
            let message = EventMessage(event: 1, action: [], origin: .init(index: index, number: 5))
            return try message.encoded.withBytes { bytes throws(WireError) in
                try table.name(of: EventMessage.Borrowed(decoding: bytes))
            }
        }
        let names = [try name(0), try name(1)]
        #expect(names[0] == names[1])
        #expect(names.map { table.facts(about: $0.origin)?.processID } == [71, 72])
        // What another sender has replaced is forgotten.
        table.introduce(OriginMessage(index: 0, sender: origin(3).senderBytes, channel: 3))
        #expect(names.map { table.facts(about: $0.origin)?.processID } == [nil, 72])
        #expect(table.isOpener(origin(1)) && !table.isOpener(one))
    }
}
