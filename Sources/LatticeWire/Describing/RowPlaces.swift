package import LatticeCoding

/// Where the rows of a page come from: from the page before, or from the message that describes the page.
///
/// The places are encoded as one array of integers, which is read from left to right. A number *n* below 0 stands for
/// the next -*n* rows of the message. Any other number is a place in the page before, and the number after it says how
/// many rows are taken from there on.
package struct RowPlaces: Sendable, Equatable {
    /// A number of rows that follow one another in the page.
    package enum Run: Sendable, Equatable {
        /// Rows of the page before, by their places from 0 on.
        case kept(Range<Int>)
        /// The next rows of the message.
        case sent(Int)
    }

    /// The runs in the order of the page.
    package private(set) var runs: [Run] = []

    package init() {}

    /// Adds a row of the page before.
    package mutating func keep(_ place: Int) {
        if case .kept(let range)? = runs.last, range.upperBound == place {
            runs[runs.count - 1] = .kept(range.lowerBound..<(place + 1))
        } else {
            runs.append(.kept(place..<(place + 1)))
        }
    }

    /// Adds the next row of the message.
    package mutating func send() {
        if case .sent(let count)? = runs.last {
            runs[runs.count - 1] = .sent(count + 1)
        } else {
            runs.append(.sent(1))
        }
    }

    /// The encoded places.
    package var bytes: [UInt8] {
        var writer = CBORWriter()
        writer.append(arrayHeader: runs.reduce(0) { if case .kept = $1 { $0 + 2 } else { $0 + 1 } })
        for run in runs {
            switch run {
            case .kept(let range):
                writer.append(integer: range.lowerBound)
                writer.append(integer: range.count)
            case .sent(let count): writer.append(integer: -count)
            }
        }
        return writer.bytes
    }

    /// Reads encoded places.
    ///
    /// - Throws: `CBORError` if the bytes are anything else, or if there are more rows than bytes of a message hold.
    package init(decoding bytes: [UInt8]) throws(CBORError) {
        runs = try bytes.withBytes { bytes throws(CBORError) in
            var reader = CBORReader(bytes)
            var (runs, total): ([Run], Int) = ([], 0)
            var left = try reader.arrayHeader()
            while left > 0 {
                let first = try Self.number(&reader)
                left -= 1
                var count = -first
                if first >= 0 {
                    guard left > 0 else { throw CBORError(.malformed, "a place of rows has no number of rows") }
                    count = try Self.number(&reader)
                    left -= 1
                }
                guard count > 0 else { throw CBORError(.malformed, "a place has \(count) rows") }
                total += count
                // An empty row takes one byte. Without this check, a few bytes could ask for a page of any size.
                guard total <= MessageLimits.maximumRows else {
                    throw CBORError(.malformed, "the places are those of more than \(MessageLimits.maximumRows) rows")
                }
                runs.append(first < 0 ? .sent(count) : .kept(first..<(first + count)))
            }
            try reader.finish()
            return runs
        }
    }

    private static func number(_ reader: inout CBORReader) throws(CBORError) -> Int {
        let value = try DescriptionValue(reading: &reader)
        // Far above any place and any number of rows, and small enough to be added.
        guard let number = value.int, (-0x7fff_ffff...0x7fff_ffff).contains(number) else {
            throw CBORError(.malformed, "a place of rows is \(value)")
        }
        return number
    }

    /// Returns the page.
    ///
    /// - Parameters:
    ///   - before: The page before.
    ///   - sent: The rows of the message.
    /// - Returns: The page, or nil if the places are not those of these rows.
    package func page<Row>(from before: [Row], _ sent: [Row]) -> [Row]? {
        var (page, next): ([Row], Int) = ([], 0)
        for run in runs {
            switch run {
            case .kept(let range):
                guard range.upperBound <= before.count else { return nil }
                page += before[range]
            case .sent(let count):
                guard count <= sent.count - next else { return nil }
                page += sent[next..<(next + count)]
                next += count
            }
        }
        return next == sent.count ? page : nil
    }
}
