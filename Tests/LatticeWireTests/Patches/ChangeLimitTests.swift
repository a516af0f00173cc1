import ByteTestSupport
import LatticeCoding
import Testing

@testable import LatticeWire

@Suite(.timeLimit(.minutes(10))) struct ChangeLimitTests {
    @Test func aResultAboveTheMaximumIsRefused() throws {
        let change = StateChange(Hex.bytes("8201a1616282000a"))
        let state = Hex.bytes("a1616101")
        let result = Hex.bytes("a2616101" + "61620a")
        #expect(try change.apply(to: state, maximum: result.count) == result)
        let error = #expect(throws: WireError.self) { try change.apply(to: state, maximum: result.count - 1) }
        #expect(error?.sentence == CBORError.changeTooLarge(7, maximum: 6).sentence)
        #expect(error?.code == .tooLarge)
    }

    @Test func aFoldAboveTheMaximumIsRefused() throws {
        let (first, second) = (StateChange(Hex.bytes("8201a16161f6")), StateChange(Hex.bytes("8201a16162f6")))
        let folded = try first.folded(with: second, maximum: 9)
        #expect(folded == StateChange(Hex.bytes("8201a26161f66162f6")))
        let error = #expect(throws: WireError.self) { try first.folded(with: second, maximum: 8) }
        #expect(error?.code == .tooLarge)
    }

    @Test("A change of the maximum depth is applied and merged, and one level more is refused")
    func depth() throws {
        // Each entry is two levels of the change and one of the value.
        let levels = CBORLimits.maximumDepth / 2
        func nested(_ count: Int, _ inner: [UInt8]) -> [UInt8] {
            (0..<count).reduce(into: inner) { change, _ in change = [0x82, 0x01, 0xa1, 0x00] + change }
        }
        func state(_ inner: [UInt8]) -> [UInt8] {
            (0..<(levels - 1)).reduce(into: inner) { state, _ in state = [0xa1, 0x00] + state }
        }
        let deepest = StateChange(nested(levels - 1, [0x82, 0x00, 0x81, 0x05]))
        #expect(try deepest.apply(to: state([0x01]), maximum: .max) == state([0x81, 0x05]))
        #expect(try deepest.folded(with: deepest) == deepest)
        let error = #expect(throws: WireError.self) { try StateChange(nested(levels, [0x82, 0x00, 0x05])).check() }
        #expect(error?.code == .malformedBody)
        #expect(error?.sentence.contains("byte 256 is nested") == true)
    }

    @Test("The levels of a state are counted from its top")
    func depthOfTheState() throws {
        let change = StateChange(Hex.bytes("8201a1008201a1018200f5"))
        func state(_ levels: Int) -> [UInt8] {
            Hex.bytes("a100a20100" + "02") + [UInt8](repeating: 0x81, count: levels) + [0x00]
        }
        #expect(try change.apply(to: state(126), maximum: .max).count == state(126).count)
        #expect(throws: WireError.self) { try change.apply(to: state(127), maximum: .max) }
    }

    @Test("Moves cost as much as they move: all elements of a large array are reversed and restored")
    func manyPieces() throws {
        let count = 100_000
        var (state, turned, change) = (CBORWriter(), CBORWriter(), CBORWriter())
        for writer in [0, count - 1] {
            var array = CBORWriter()
            array.append(arrayHeader: count)
            for index in 0..<count { array.append(integer: abs(writer - index)) }
            if writer == 0 { state = array } else { turned = array }
        }
        change.append(arrayHeader: 2)
        change.append(integer: 2)
        change.append(arrayHeader: count)
        for index in 0..<count {
            change.bytes += [0x83, 0x00]
            change.append(integer: count - 1 - index)
            change.append(integer: 1)
        }
        let turn = StateChange(change.bytes)
        #expect(try turn.apply(to: state.bytes, maximum: .max) == turned.bytes)
        let back = try turn.folded(with: turn)
        // Neighbours again, so one piece.
        #expect(back.bytes == Hex.bytes("820281" + "8300001a000186a0"))
        #expect(try back.apply(to: state.bytes, maximum: .max) == state.bytes)
    }

    @Test(
        "A header that announces many elements reserves no memory",
        arguments: ["8202", "8201", "82028182019b", "8200"]
    )
    func announcements(beginning: String) {
        for head in ["9bffffffffffffffff", "bb7fffffffffffffff", "9affffffff", "ba00ffffff"] {
            let change = StateChange(Hex.bytes(beginning + head + "0000"))
            #expect(throws: WireError.self) { try change.check() }
            #expect(throws: WireError.self) { try change.apply(to: [0x80], maximum: .max) }
            #expect(throws: WireError.self) { try change.folded(with: change) }
        }
    }
}
