/// Appends deterministic CBOR (RFC 8949 section 4.2.1) to a growing buffer.
///
/// The writer appends values in the order of the calls. The caller has to make sure that keys ascend, and that headers
/// announce the values that follow.
public struct CBORWriter {
    /// The bytes that were written so far.
    @usableFromInline package var bytes: [UInt8] = []
    /// The number of arrays and maps that contain the next value, for values that write themselves.
    @usableFromInline package var level = 0
    /// Counts the steps, in a coding that has an observer.
    @usableFromInline var steps: CodingSteps?

    @inlinable
    package init() {}

    /// Appends an integer, or a bignum (tag 2 or 3) if 64 bits do not suffice.
    @inlinable @inline(__always)
    package mutating func append<Number: FixedWidthInteger>(integer value: Number) {
        let isNegative = value < 0
        // A negative number is encoded as its distance from -1.
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
        // Appends the bytes in place, because appending an array counts a reference to it.
        value.withUnsafeBytes { append(bytes: $0) }
    }

    package mutating func append(bytes value: UnsafeRawBufferPointer) {
        head(0x40, UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    @usableFromInline
    package mutating func append(text value: String) {
        // Without a mutable copy, which counts one more reference. In a large dictionary that takes as long as
        // everything else.
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

    /// Appends the head of a map.
    ///
    /// - Parameter count: The number of pairs of key and value that follow.
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

    /// Appends a head: the major type, shifted to its place in the first byte, and the shortest form of its argument.
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

    /// Appends the bytes that `write` stores at an address, in one operation. An array checks its capacity and its
    /// reference count for each separate append.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of bytes that `write` stores.
    ///   - write: Stores bytes at the address, and returns their number.
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
    /// Completes a head of which one byte was written before the count was known.
    package mutating func complete(head major: UInt8, at offset: Int, count: Int) {
        guard count >= 24 else {
            bytes[offset] = major | UInt8(count)
            return
        }
        var head = CBORWriter()
        head.head(major, UInt64(count))
        bytes.replaceSubrange(offset...offset, with: head.bytes)
    }

    /// Sorts pieces, which are the last part of the bytes, by their content.
    ///
    /// - Parameters:
    ///   - starts: The positions at which the values of the pieces begin.
    ///   - valuesPerPiece: The number of values in one piece.
    ///   - first: The position at which the first piece begins.
    ///   - mayRepeat: Whether the pieces are entries of a map whose keys may repeat. Of entries with the same key, only
    ///     the one that was written last remains.
    ///   - steps: Counts the steps of the coding.
    /// - Returns: The number of remaining pieces.
    mutating func sort(
        _ starts: ArraySlice<Int>,
        valuesPerPiece: Int,
        from first: Int,
        mayRepeat: Bool,
        _ steps: CodingSteps
    ) -> Int {
        let end = bytes.count
        let count = starts.count / valuesPerPiece
        // No reader accepts a larger value, whatever its order is.
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
