/// A small seeded random number generator, so that a test run can be repeated.
package struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
        return word ^ word >> 31
    }

    /// Returns a random number from 0 up to but not including `bound`.
    package mutating func below(_ bound: Int) -> Int {
        Int(truncatingIfNeeded: next() >> 33) % bound
    }

    /// Returns one of the samples with a few bytes changed, removed, inserted or cut off. One of eight results is
    /// random bytes.
    package mutating func mutation(of samples: [[UInt8]]) -> [UInt8] {
        if below(8) == 0 {
            let length = below(40)
            return (0..<length).map { _ in UInt8(truncatingIfNeeded: next()) }
        }
        var bytes = samples[below(samples.count)]
        for _ in 0..<below(4) where !bytes.isEmpty {
            let place = below(bytes.count)
            switch below(6) {
            case 0: bytes[place] ^= 1 << UInt8(below(8))
            case 1: bytes[place] = UInt8(truncatingIfNeeded: next())
            case 2: bytes.remove(at: place)
            case 3: bytes.insert(UInt8(truncatingIfNeeded: next()), at: place)
            case 4: bytes.removeLast(bytes.count - place)
            default: bytes[place] = [0x00, 0x1b, 0x3b, 0x5f, 0x9b, 0x9f, 0xbb, 0xc2, 0xff, 0xf6][below(10)]
            }
        }
        return bytes
    }
}
