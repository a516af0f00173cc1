/// Sorts encoded values by their bytes, which is the order of a map's keys and of a set's elements.
///
/// No encoded value is the beginning of another one, so the bytes after a value never matter.
struct EncodedOrder {
    /// A value, or a key with its value.
    struct Piece {
        /// The eight bytes that are being compared, with the first one in the highest place.
        fileprivate(set) var chunk: UInt64 = 0
        let start: UInt32
        let end: UInt32

        init(_ range: Range<Int>) {
            start = UInt32(range.lowerBound)
            end = UInt32(range.upperBound)
        }

        var range: Range<Int> { Int(start)..<Int(end) }
    }

    let bytes: UnsafeRawBufferPointer
    /// Counts the pieces in each pass.
    let steps: CodingSteps

    /// The maximum number of pieces that are sorted by insertion.
    private static let insertionMaximum = 24
    /// The number of pieces above which they are sorted byte by byte.
    private static let radixMinimum = 512
    /// The number of equal bytes after which the rest is compared directly, because deeper recursion takes more of the
    /// stack.
    private static let recursionMaximum = 512

    /// Sorts pieces.
    ///
    /// - Complexity: O(*n*), where *n* is the number of bytes in which pieces differ from their neighbours. With less
    ///   than 512 pieces it is O(*n* log *n*).
    func sort(_ pieces: UnsafeMutableBufferPointer<Piece>) {
        guard pieces.count > Self.radixMinimum else { return sort(pieces, from: 0, with: nil) }
        withUnsafeTemporaryAllocation(of: Piece.self, capacity: pieces.count) { sort(pieces, from: 0, with: $0) }
    }

    /// Sorts pieces whose first `depth` bytes are equal.
    ///
    /// - Parameters:
    ///   - pieces: The pieces.
    ///   - depth: The number of equal bytes.
    ///   - room: A buffer of the same size as `pieces`, if there are many.
    private func sort(
        _ pieces: UnsafeMutableBufferPointer<Piece>,
        from depth: Int,
        with room: UnsafeMutableBufferPointer<Piece>?
    ) {
        for index in pieces.indices {
            steps.step()
            pieces[index].chunk = chunk(of: pieces[index], at: depth)
        }
        if pieces.count <= Self.insertionMaximum {
            return insertionSort(pieces, from: depth)
        } else if let room, pieces.count > Self.radixMinimum {
            radixSort(pieces, with: room)
        } else {
            var pieces = pieces
            pieces.sort { $0.chunk < $1.chunk }
        }
        // Pieces with equal chunks are sorted by their next eight bytes.
        var start = 0
        while start < pieces.count {
            var end = start + 1
            while end < pieces.count, pieces[end].chunk == pieces[start].chunk { end += 1 }
            if end - start > 1, depth >= Self.recursionMaximum {
                var same = UnsafeMutableBufferPointer(rebasing: pieces[start..<end])
                same.sort { precedesLater($0, $1, from: depth + 8) }
            } else if end - start > 1, Int(pieces[start].end - pieces[start].start) > depth + 8 {
                let same = UnsafeMutableBufferPointer(rebasing: pieces[start..<end])
                sort(same, from: depth + 8, with: room.map { UnsafeMutableBufferPointer(rebasing: $0[start..<end]) })
            }
            start = end
        }
    }

    @inline(__always)
    private func chunk(of piece: Piece, at depth: Int) -> UInt64 {
        let start = Int(piece.start) + depth
        if start + 8 <= bytes.count {
            return UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
        }
        var chunk: UInt64 = 0
        for index in 0..<8 { chunk = chunk << 8 | (start + index < bytes.count ? UInt64(bytes[start + index]) : 0) }
        return chunk
    }

    private func insertionSort(_ pieces: UnsafeMutableBufferPointer<Piece>, from depth: Int) {
        for index in pieces.indices.dropFirst() {
            let piece = pieces[index]
            var place = index
            while place > 0, precedes(piece, pieces[place - 1], from: depth) {
                pieces[place] = pieces[place - 1]
                place -= 1
            }
            pieces[place] = piece
        }
    }

    @inline(__always)
    private func precedes(_ first: Piece, _ second: Piece, from depth: Int) -> Bool {
        first.chunk == second.chunk ? precedesLater(first, second, from: depth + 8) : first.chunk < second.chunk
    }

    private func precedesLater(_ first: Piece, _ second: Piece, from depth: Int) -> Bool {
        let count = Int(min(first.end - first.start, second.end - second.start))
        for index in stride(from: depth, to: count, by: 1) {
            let (left, right) = (bytes[Int(first.start) + index], bytes[Int(second.start) + index])
            guard left == right else { return left < right }
        }
        return false
    }

    /// Sorts by the chunk, byte by byte from the last to the first. Bytes that are equal in all pieces cost nothing.
    private func radixSort(_ pieces: UnsafeMutableBufferPointer<Piece>, with room: UnsafeMutableBufferPointer<Piece>) {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 8 * 256) { counts in
            counts.initialize(repeating: 0)
            for piece in pieces {
                for place in 0..<8 {
                    counts[place << 8 | Int(truncatingIfNeeded: piece.chunk >> (8 * place)) & 0xff] += 1
                }
            }
            var (from, to) = (pieces, UnsafeMutableBufferPointer(rebasing: room[..<pieces.count]))
            for place in 0..<8 {
                let counts = UnsafeMutableBufferPointer(rebasing: counts[(place << 8)..<(place << 8 + 256)])
                let first = Int(truncatingIfNeeded: from[0].chunk >> (8 * place)) & 0xff
                guard counts[first] < pieces.count else { continue }
                var next: UInt32 = 0
                for index in counts.indices { (counts[index], next) = (next, next + counts[index]) }
                for piece in from {
                    steps.step()
                    let byte = Int(truncatingIfNeeded: piece.chunk >> (8 * place)) & 0xff
                    to[Int(counts[byte])] = piece
                    counts[byte] += 1
                }
                swap(&from, &to)
            }
            if from.baseAddress != pieces.baseAddress { _ = pieces.update(fromContentsOf: from) }
        }
    }

    /// Writes pieces in their order. If keys may repeat, it writes only the last written one of those with the same
    /// key.
    ///
    /// - Returns: The number of written pieces and of their bytes.
    func write(
        _ pieces: UnsafeMutableBufferPointer<Piece>,
        to written: UnsafeMutableRawBufferPointer,
        mayRepeat: Bool
    ) -> (count: Int, length: Int) {
        var (count, length, index) = (0, 0, 0)
        while index < pieces.count {
            steps.step()
            var piece = pieces[index]
            index += 1
            while mayRepeat, index < pieces.count, haveSameKey(piece, pieces[index]) {
                if pieces[index].start > piece.start { piece = pieces[index] }
                index += 1
            }
            UnsafeMutableRawBufferPointer(rebasing: written[length...])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[piece.range]))
            length += piece.range.count
            count += 1
        }
        return (count, length)
    }

    private func haveSameKey(_ first: Piece, _ second: Piece) -> Bool {
        let (first, second) = (Int(first.start), Int(second.start))
        guard bytes[first] == bytes[second] else { return false }
        return !Self.precedes(first, second, bytes) && !Self.precedes(second, first, bytes)
    }

    /// Returns whether one encoded text key sorts before another. A longer key has a larger head, so the length decides
    /// first.
    static func precedes(_ first: Int, _ second: Int, _ bytes: UnsafeRawBufferPointer) -> Bool {
        var (start, other) = (first, second)
        guard let head = CBORHead(bytes, at: &start), let otherHead = CBORHead(bytes, at: &other) else { return false }
        return CBORReader.precedes(
            UnsafeRawBufferPointer(rebasing: bytes[start..<(start + Int(head.argument))]),
            UnsafeRawBufferPointer(rebasing: bytes[other..<(other + Int(otherHead.argument))])
        )
    }
}
