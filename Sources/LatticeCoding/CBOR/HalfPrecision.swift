/// Converts half-precision numbers of IEEE 754 by their bits, because `Float16` does not exist on every platform of
/// this library.
package enum HalfPrecision {
    /// Returns the bits of the half-precision number with the same value, or nil if there is none. The bits of every
    /// NaN are 0x7e00.
    package static func exactly(_ value: Float) -> UInt16? {
        if value.isNaN { return 0x7e00 }
        let bits = value.bitPattern
        let sign = UInt16(truncatingIfNeeded: bits >> 16) & 0x8000
        let exponent = Int(bits >> 23 & 0xff)
        let fraction = bits & 0x7f_ffff
        if exponent == 0xff { return sign | 0x7c00 }
        if exponent == 0 { return fraction == 0 ? sign : nil }
        let power = exponent - 127
        if power >= -14 && power <= 15 {
            guard fraction & 0x1fff == 0 else { return nil }
            return sign | UInt16(power + 15) << 10 | UInt16(truncatingIfNeeded: fraction >> 13)
        }
        guard power >= -24 && power < -14 else { return nil }
        // Below 2^-14 the leading one is explicit, and the fraction counts steps of 2^-24.
        let significand = fraction | 0x80_0000
        let shift = UInt32(-1 - power)
        guard significand & (1 << shift - 1) == 0 else { return nil }
        return sign | UInt16(truncatingIfNeeded: significand >> shift)
    }

    /// Returns the number with these half-precision bits.
    package static func value(_ bits: UInt16) -> Float {
        let sign = UInt32(bits & 0x8000) << 16
        let exponent = UInt32(bits >> 10 & 0x1f)
        let fraction = UInt32(bits & 0x3ff)
        switch exponent {
        case 0:
            // Steps of 2^-24, exact in single precision.
            let magnitude = Float(fraction) * 0x1p-24
            return sign == 0 ? magnitude : -magnitude
        case 0x1f:
            return Float(bitPattern: sign | 0x7f80_0000 | fraction << 13)
        default:
            return Float(bitPattern: sign | (exponent + 112) << 23 | fraction << 13)
        }
    }
}
