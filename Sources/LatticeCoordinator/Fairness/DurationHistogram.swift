/// The durations of recent events in buckets, from which percentiles are estimated.
///
/// It covers the last 10 to 20 seconds: durations are counted in the present window, and the window before it is kept.
/// A bucket is at most 25 % wide, so a percentile is at most a quarter too large. The value has a fixed size of less
/// than 1 KB, and allocates it with the first duration. It performs no I/O and gets the time from outside.
struct DurationHistogram: Sendable {
    /// The length of a window in nanoseconds.
    static let window: Int64 = 10_000_000_000
    /// The number of buckets for each doubling of the duration.
    private static let perOctave: Int64 = 4
    /// The power of two, in nanoseconds, at which the buckets begin. Shorter durations are in the first bucket.
    private static let firstOctave: Int64 = 10
    /// The number of doublings. Durations of more than 2 minutes are in the last bucket.
    private static let octaves: Int64 = 27
    private static let bucketCount = Int(octaves * perOctave) + 1

    private var present: [UInt32] = []
    private var before: [UInt32] = []
    /// The time at which the present window began, in nanoseconds.
    private var began: Int64 = 0

    /// Counts a duration.
    ///
    /// - Parameters:
    ///   - duration: The duration in nanoseconds. A negative one counts as zero.
    ///   - now: The present time in nanoseconds, on any clock that does not go back.
    mutating func record(_ duration: Int64, at now: Int64) {
        if present.isEmpty {
            present = Array(repeating: 0, count: Self.bucketCount)
            began = now
        } else if now - began >= Self.window {
            turn(to: now)
        }
        present[Self.bucket(of: duration)] &+= 1
    }

    /// Returns the duration in nanoseconds that a share of the recent ones did not exceed, or nil if there were none.
    ///
    /// - Parameters:
    ///   - share: The share of the durations, above 0 and at most 1, such as 0.99.
    ///   - now: The present time in nanoseconds.
    func percentile(_ share: Double, at now: Int64) -> Int64? { percentiles(share, share, at: now)?.lower }

    /// Returns the durations in nanoseconds that two shares of the recent ones did not exceed, or nil if there were
    /// none. It allocates nothing.
    ///
    /// - Parameters:
    ///   - lower: The smaller share, above 0 and at most 1.
    ///   - upper: The greater share.
    ///   - now: The present time in nanoseconds.
    func percentiles(_ lower: Double, _ upper: Double, at now: Int64) -> (lower: Int64, upper: Int64)? {
        let age = now - began
        guard !present.isEmpty, age < 2 * Self.window else { return nil }
        let before = age >= Self.window ? [] : before
        func count(_ bucket: Int) -> Int64 { Int64(present[bucket]) + (before.isEmpty ? 0 : Int64(before[bucket])) }
        let total = (0..<Self.bucketCount).reduce(0) { $0 + count($1) }
        func rank(_ share: Double) -> Int64 { max(1, Int64((Double(total) * share).rounded(.up))) }
        var first: Int64?
        var seen: Int64 = 0
        for bucket in 0..<Self.bucketCount {
            seen += count(bucket)
            if first == nil, seen >= rank(lower) { first = Self.upperBound(of: bucket) }
            if let first, seen >= rank(upper) { return (first, Self.upperBound(of: bucket)) }
        }
        return nil
    }

    private mutating func turn(to now: Int64) {
        let isNext = now - began < 2 * Self.window
        swap(&present, &before)
        began = now
        present = Array(repeating: 0, count: Self.bucketCount)
        if !isNext { before = [] }
    }

    private static func bucket(of duration: Int64) -> Int {
        guard duration >= 1 << firstOctave else { return 0 }
        let octave = Int64(63 - duration.leadingZeroBitCount)
        guard octave < firstOctave + octaves else { return bucketCount - 1 }
        // The two bits below the highest one choose the bucket of the octave.
        let part = (duration >> (octave - 2)) & (perOctave - 1)
        return Int((octave - firstOctave) * perOctave + part) + 1
    }

    /// The upper bound of a bucket in nanoseconds. For the last bucket it is its lower bound.
    private static func upperBound(of bucket: Int) -> Int64 {
        let index = Int64(bucket)
        let octave = firstOctave + index / perOctave
        return (perOctave + index % perOctave) << (octave - 2)
    }
}
