/// Appends deterministic CBOR (RFC 8949 section 4.2.1) to a growing buffer.
///
/// It writes what it is told, in the order in which it is told: that keys ascend and that headers announce what
/// follows is the caller's to keep.
public struct CBORWriter {
    /// Everything written so far.
    @usableFromInline package var bytes: [UInt8] = []
    /// How many arrays and maps the next value is inside of, where values write themselves.
    @usableFromInline package var level = 0
    /// Counts what is written, where a coding that others wait for writes it.
    @usableFromInline var steps: CodingSteps?

    @inlinable
    package init() {}

    /// Appends an integer, or a bignum (tag 2 or 3) where 64 bits do not suffice.
    @inlinable @inline(__always)
    package mutating func append<Number: FixedWidthInteger>(integer value: Number) {
        let isNegative = value < 0
        // A negative number is written as what is missing to -1.
        let argument = isNegative ? ~value : value
        if Number.bitWidth <= 64 || argument <= UInt64.max {
            head(isNegative ? 0x20 : 0x00, UInt64(truncatingIfNeeded: argument))
        } else {
            append(bignum: UInt128(truncatingIfNeeded: argument), tag: isNegative ? 3 : 2)
        }
    }

    @usableFromInline
    mutating func append(bignum value: UInt128, tag: UInt64) {
        head(0xc0, tag)
        let count = 16 - value.leadingZeroBitCount / 8
        head(0x40, UInt64(count))
        for index in stride(from: count - 1, through: 0, by: -1) {
            bytes.append(UInt8(truncatingIfNeeded: value >> UInt128(8 * index)))
        }
    }

    @usableFromInline
    package mutating func append(bytes value: [UInt8]) {
        // Where it is: to append an array counts a reference to it.
        value.withUnsafeBytes { append(bytes: $0) }
    }

    package mutating func append(bytes value: UnsafeRawBufferPointer) {
        head(0x40, UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    @usableFromInline
    package mutating func append(text value: String) {
        // Without a copy to change, which counts a reference more: in a large dictionary that takes as long as the
        // rest.
        let isDone: Void? = value.utf8.withContiguousStorageIfAvailable { append(utf8: $0) }
        guard isDone == nil else { return }
        var value = value
        value.withUTF8 { append(utf8: $0) }
    }

    @inline(__always)
    private mutating func append(utf8 text: UnsafeBufferPointer<UInt8>) {
        append(atMost: CBORHead.maximumSize + text.count) { place in
            let head = CBORHead.write(0x60, UInt64(text.count), to: place)
            if let start = text.baseAddress { (place + head).copyMemory(from: start, byteCount: text.count) }
            return head + text.count
        }
    }

    @inlinable
    package mutating func append(arrayHeader count: Int) {
        head(0x80, UInt64(count))
    }

    /// - Parameter count: pairs of key and value that follow.
    package mutating func append(mapHeader count: Int) {
        head(0xa0, UInt64(count))
    }

    @inlinable
    package mutating func append(bool value: Bool) {
        bytes.append(value ? 0xf5 : 0xf4)
    }

    package mutating func appendNull() {
        bytes.append(0xf6)
    }

    /// Appends the shortest of half, single and double precision that keeps the value; every NaN becomes 0x7e00.
    @usableFromInline
    package mutating func append(double value: Double) {
        if value.isNaN { return append(0xf9, UInt16(0x7e00)) }
        let single = Float(value)
        guard Double(single) == value else { return append(0xfb, value.bitPattern) }
        append(float: single)
    }

    /// Appends the shorter of half and single precision that keeps the value; every NaN becomes 0x7e00.
    @usableFromInline
    package mutating func append(float value: Float) {
        guard let half = HalfPrecision.exactly(value) else { return append(0xfa, value.bitPattern) }
        append(0xf9, half)
    }

    /// Appends a head: three bits of type and the shortest form of its argument.
    @inlinable @inline(__always)
    package mutating func head(_ major: UInt8, _ argument: UInt64) {
        guard argument < 24 else { return longHead(major, argument) }
        bytes.append(major | UInt8(truncatingIfNeeded: argument))
    }

    @inline(never) @usableFromInline
    mutating func longHead(_ major: UInt8, _ argument: UInt64) {
        append(atMost: CBORHead.maximumSize) { CBORHead.write(major, argument, to: $0) }
    }

    @inline(__always)
    private mutating func append<Number: FixedWidthInteger>(_ head: UInt8, _ value: Number) {
        append(atMost: 1 + Number.bitWidth / 8) { place in
            place.storeBytes(of: head, as: UInt8.self)
            place.storeBytes(of: value.bigEndian, toByteOffset: 1, as: Number.self)
            return 1 + Number.bitWidth / 8
        }
    }

    /// Appends the bytes that `write` puts to an address, in one go: an array asks for each part that it is given
    /// whether it has room, and whether it is its own.
    ///
    /// - Parameters:
    ///   - capacity: so many bytes may be put there.
    ///   - write: returns how many it has put there.
    @inlinable @inline(__always)
    mutating func append(atMost capacity: Int, _ write: (UnsafeMutableRawPointer) -> Int) {
        bytes.append(addingCapacity: capacity) { span in
            span.withUnsafeMutableBufferPointer { buffer, count in
                if let place = buffer.baseAddress { count = write(UnsafeMutableRawPointer(place)) }
            }
        }
    }
}

extension CBORWriter {
    /// Completes a head of which one byte was written, before it was known how much would follow.
    package mutating func complete(head major: UInt8, at offset: Int, count: Int) {
        guard count >= 24 else {
            bytes[offset] = major | UInt8(count)
            return
        }
        var head = CBORWriter()
        head.head(major, UInt64(count))
        bytes.replaceSubrange(offset...offset, with: head.bytes)
    }

    /// Puts pieces, which are the last of the bytes, into the order of what they hold.
    ///
    /// - Parameters:
    ///   - starts: where each value of them begins.
    ///   - first: where the first one begins.
    ///   - mayRepeat: they are entries of a map, and of those with the same key only the one that was written last
    ///     stays.
    /// - Returns: how many are left.
    mutating func sort(
        _ starts: ArraySlice<Int>,
        valuesPerPiece: Int,
        from first: Int,
        mayRepeat: Bool,
        _ steps: CodingSteps
    ) -> Int {
        let end = bytes.count
        let count = starts.count / valuesPerPiece
        // Nobody takes a larger value, in whatever order.
        guard end - first <= UInt32.max else { return count }
        return withUnsafeTemporaryAllocation(of: EncodedOrder.Piece.self, capacity: count) { pieces in
            for index in 0..<count {
                let entry = starts.startIndex + index * valuesPerPiece
                let next = entry + valuesPerPiece
                let last = next < starts.endIndex ? starts[next] : end
                pieces.initializeElement(at: index, to: EncodedOrder.Piece((starts[entry] - first)..<(last - first)))
            }
            return withUnsafeTemporaryAllocation(byteCount: end - first, alignment: 8) { copy in
                let (kept, length) = bytes.withUnsafeMutableBytes { bytes in
                    let written = UnsafeMutableRawBufferPointer(rebasing: bytes[first..<end])
                    copy.copyMemory(from: UnsafeRawBufferPointer(written))
                    let order = EncodedOrder(bytes: UnsafeRawBufferPointer(copy), steps: steps)
                    order.sort(pieces)
                    return order.write(pieces, to: written, mayRepeat: mayRepeat)
                }
                bytes.removeLast(end - first - length)
                return kept
            }
        }
    }
}
