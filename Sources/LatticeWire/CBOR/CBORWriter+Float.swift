extension CBORWriter {
    /// Appends the shortest of half, single and double precision that keeps the value; every NaN becomes 0x7e00.
    package mutating func append(double value: Double) {
        if value.isNaN {
            bytes.append(0xf9)
            append(bigEndian: UInt16(0x7e00))
            return
        }
        let single = Float(value)
        guard Double(single) == value else {
            bytes.append(0xfb)
            append(bigEndian: value.bitPattern)
            return
        }
        append(float: single)
    }

    /// Appends the shorter of half and single precision that keeps the value; every NaN becomes 0x7e00.
    package mutating func append(float value: Float) {
        if let half = HalfPrecision.exactly(value) {
            bytes.append(0xf9)
            append(bigEndian: half)
        } else {
            bytes.append(0xfa)
            append(bigEndian: value.bitPattern)
        }
    }
}
