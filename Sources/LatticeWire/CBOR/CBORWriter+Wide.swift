extension CBORWriter {
    /// Appends an integer, or a bignum (tag 2) where 64 bits do not suffice.
    package mutating func append(wide value: UInt128) {
        if let narrow = UInt64(exactly: value) {
            append(unsigned: narrow)
        } else {
            append(bignum: value, tag: 2)
        }
    }

    /// Appends an integer, or a bignum (tag 2 or 3) where 64 bits do not suffice.
    package mutating func append(wide value: Int128) {
        guard value < 0 else { return append(wide: UInt128(value)) }
        let argument = ~UInt128(truncatingIfNeeded: value)
        if let narrow = UInt64(exactly: argument) {
            append(negativeArgument: narrow)
        } else {
            append(bignum: argument, tag: 3)
        }
    }

    private mutating func append(bignum value: UInt128, tag: UInt64) {
        append(tag: tag)
        let count = 16 - value.leadingZeroBitCount / 8
        head(0x40, UInt64(count))
        for index in stride(from: count - 1, through: 0, by: -1) {
            bytes.append(UInt8(truncatingIfNeeded: value >> UInt128(8 * index)))
        }
    }
}
