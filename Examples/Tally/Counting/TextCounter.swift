/// Counts newlines and words in a stream of bytes, eight at a time.
///
/// A word is a longest run of bytes other than space, `\t \n \v \f \r`.
struct TextCounter {
    private(set) var lines: UInt64 = 0
    private(set) var words: UInt64 = 0
    /// 0x80 if the previous byte was a space, and otherwise 0. The beginning of the text counts as a space.
    private var previous: UInt64 = 0x80

    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highs: UInt64 = 0x8080_8080_8080_8080
    private static let lows: UInt64 = 0x7F7F_7F7F_7F7F_7F7F

    mutating func count(_ bytes: UnsafeRawBufferPointer) {
        var offset = 0
        var previous = previous
        var lines: UInt64 = 0
        var words: UInt64 = 0
        guard let base = bytes.baseAddress else { return }
        let wholeWords = bytes.count / 8
        while offset < wholeWords * 8 {
            // The byte sums hold up to 255 hits. Then they are added to the totals.
            let end = min(offset + 255 * 8, wholeWords * 8)
            var lineSums: UInt64 = 0
            var wordSums: UInt64 = 0
            while offset < end {
                let eight = UInt64(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                let spaces = Self.spaces(eight)
                // In the order of the bytes, this is the left neighbour of each byte.
                let before = (spaces << 8) | previous
                wordSums &+= (~spaces & before & Self.highs) >> 7
                lineSums &+= Self.newlines(eight) >> 7
                previous = spaces >> 56
                offset += 8
            }
            lines &+= Self.sum(lineSums)
            words &+= Self.sum(wordSums)
        }
        while offset < bytes.count {
            let byte = bytes[offset]
            let isSpace = byte == 0x20 || (0x09...0x0D).contains(byte)
            if byte == 0x0A { lines &+= 1 }
            if !isSpace, previous != 0 { words &+= 1 }
            previous = isSpace ? 0x80 : 0
            offset += 1
        }
        self.previous = previous
        self.lines &+= lines
        self.words &+= words
    }

    /// Returns the counts for the file with a path.
    func count(of path: [UInt8], bytes: UInt64) -> FileCount {
        FileCount(path: path, lines: lines, words: words, bytes: bytes)
    }

    /// Returns the high bit of each byte that is a space.
    @inline(__always) private static func spaces(_ eight: UInt64) -> UInt64 {
        let low = eight & lows
        let atLeastTab = low &+ (0x80 - 0x09) &* ones
        let aboveReturn = low &+ (0x80 - 0x0E) &* ones
        let notBlank = (low ^ (0x20 &* ones)) &+ lows
        return ((atLeastTab & ~aboveReturn) | ~notBlank) & ~eight & highs
    }

    /// Returns the high bit of each byte that is a newline.
    @inline(__always) private static func newlines(_ eight: UInt64) -> UInt64 {
        let notNewline = ((eight & lows) ^ (0x0A &* ones)) &+ lows
        return ~notNewline & ~eight & highs
    }

    /// Returns the sum of the eight bytes.
    private static func sum(_ bytes: UInt64) -> UInt64 {
        let pairs = (bytes & 0x00FF_00FF_00FF_00FF) &+ ((bytes >> 8) & 0x00FF_00FF_00FF_00FF)
        return (pairs &* 0x0001_0001_0001_0001) >> 48
    }
}
