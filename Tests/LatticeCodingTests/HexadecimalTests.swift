import ByteTestSupport
import LatticeCoding
import Testing

/// The digits of bytes and numbers.
struct HexadecimalTests {
    @Test("Each byte has two digits, in the order of the bytes")
    func bytes() {
        let all = [UInt8](0...255)
        #expect(all.hexadecimal == Hex.digits(all))
        #expect(all[10..<12].hexadecimal == "0a0b" && [UInt8]().hexadecimal == "")
    }

    @Test("A number has all of its digits, the most significant one first")
    func numbers() {
        #expect(UInt8(0xa).hexadecimal == "0a" && UInt64(0x12_34ab).hexadecimal == "00000000001234ab")
        #expect(UInt128(1).hexadecimal == String(repeating: "0", count: 31) + "1")
        #expect(UInt128.max.hexadecimal == String(repeating: "f", count: 32))
    }
}
