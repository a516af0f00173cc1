import ExampleSupport
import TallyProgram
import Testing

struct OpenEndTests {
    private static let asked = 256 << 10

    /// Returns after how many MiB a file that is read in these pieces is given up, or nil if it is read beyond 1.5 GiB.
    private func end(pieces: [Int]) -> UInt64? {
        var (end, bytes) = (OpenEnd(), UInt64(0))
        while bytes < 1536 << 20 {
            for piece in pieces {
                bytes += UInt64(piece)
                if end.add(piece, of: Self.asked) != nil { return bytes >> 20 }
            }
        }
        return nil
    }

    @Test("A file that fills each read is given up early, and one with shorter reads only at a much higher limit")
    func limits() {
        #expect(end(pieces: [Self.asked]) == 16)
        #expect(end(pieces: [4_096]) == 1024)
        #expect(end(pieces: [Self.asked - 1]) == 1024)
        // Records that happen to fill a piece now and then.
        #expect(end(pieces: [Self.asked] + Array(repeating: 4_000, count: 1000)) == 260)
    }

    @Test func theLimitIsNamed() {
        var full = OpenEnd()
        #expect(full.add(16 << 20, of: 16 << 20) == nil)
        #expect(full.add(0, of: 1) == nil)
        #expect(full.add(1, of: 1) == 16 << 20)
        var small = OpenEnd()
        #expect(small.add(1 << 30, of: 2 << 30) == nil)
        #expect(small.add(1, of: 2) == 1 << 30)
    }
}
