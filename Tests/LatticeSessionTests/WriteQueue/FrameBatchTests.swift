import LatticeSession
import Testing

struct FrameBatchTests {
    /// A batch in words: a small letter is a byte of its own, letters in brackets are a shared frame.
    private static let drawings = [
        "a", "abc", "[a]", "[abc]", "[a][b]", "ab[cd]", "[ab]cd", "a[bc]d", "a[b]c[de][f]gh", "[ab]c[de]", "[][a][]b[]",
    ]

    private func batch(_ drawing: String) -> FrameBatch {
        var batch = FrameBatch()
        var shared: [UInt8]?
        for letter in drawing.utf8 {
            switch letter {
            case UInt8(ascii: "["): shared = []
            case UInt8(ascii: "]"): batch.append(SharedFrame(shared.take() ?? []))
            default: if shared == nil { batch.bytes.append(letter) } else { shared?.append(letter) }
            }
        }
        return batch
    }

    private func letters(_ drawing: String) -> [UInt8] {
        drawing.utf8.filter { ![UInt8(ascii: "["), UInt8(ascii: "]")].contains($0) }
    }

    private func pieces(_ batch: FrameBatch, from offset: Int) -> [[UInt8]] {
        batch.withPieces(from: offset) { $0.map { [UInt8]($0) } }
    }

    @Test(arguments: drawings)
    func piecesAreInOrderFromAnyOffset(drawing: String) {
        let (batch, letters) = (batch(drawing), letters(drawing))
        #expect(batch.count == letters.count)
        for offset in 0...letters.count {
            let pieces = pieces(batch, from: offset)
            #expect(pieces.flatMap { $0 } == Array(letters[offset...]))
            #expect(batch.withBytes(from: offset) { [UInt8]($0) } == Array(letters[offset...]))
            #expect(pieces.allSatisfy { !$0.isEmpty })
        }
    }

    @Test(arguments: drawings, drawings)
    func oneFollowsTheOther(first: String, second: String) {
        var both = batch(first)
        both.append(contentsOf: batch(second))
        #expect(both.count == letters(first + second).count)
        #expect(pieces(both, from: 0).flatMap { $0 } == letters(first + second))
        // The joined batch is shared if one of its parts is shared.
        #expect(both.isPlain == (batch(first).isPlain && batch(second).isPlain))
    }

    @Test func sharedFramesAreWhereTheyWere() {
        let frame = SharedFrame([1, 2, 3])
        var batch = FrameBatch()
        batch.bytes = [0]
        batch.append(frame)
        batch.withPieces(from: 0) { pieces in #expect(pieces[1].baseAddress == frame.bytes.baseAddress) }
        batch.withPieces(from: 3) { pieces in
            #expect(pieces.count == 1)
            #expect(pieces[0].baseAddress == frame.bytes.baseAddress?.advanced(by: 2))
        }
    }

    @Test func oneSharedFrameAloneIsNotPutTogether() {
        let frame = SharedFrame([1, 2, 3])
        var batch = FrameBatch()
        batch.append(frame)
        batch.withBytes(from: 1) { #expect($0.baseAddress == frame.bytes.baseAddress?.advanced(by: 1)) }
    }

    @Test(arguments: [(keeping: 0, hasRoom: false), (keeping: 1 << 20, hasRoom: true)])
    func sharedFramesAreReleased(keeping: Int, hasRoom: Bool) {
        var batch = FrameBatch()
        weak var frame: SharedFrame?
        do {
            let made = SharedFrame([1, 2, 3])
            frame = made
            batch.append(made)
            batch.bytes += [4]
        }
        #expect(frame != nil)
        batch.removeAll(keeping: keeping)
        #expect(frame == nil)
        #expect(batch.isEmpty)
        #expect(batch.isPlain)
        #expect(batch.hasRoom == hasRoom)
    }
}
