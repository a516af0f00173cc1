import LatticeCoding
import LatticeWire

/// The state machine of the rows that a subscription has sent. It turns each page into the message that leads the
/// subscriber from the page before to this one. It performs no I/O.
///
/// Before the first page, everything is sent. Afterwards a row is only sent if it is new or has changed. A row is the
/// same one if the values of its keys are equal. It has not changed if it has only become older (``DescriptionAges``).
///
/// The rows of one page are kept, which take at most `MessageLimits.maximumRows` bytes.
struct SentRows: Sendable {
    /// A row that the subscriber has.
    private struct Row: Sendable {
        /// The encoded row, with 0 in the place of each age.
        let still: ArraySlice<UInt8>
        let ages: [DescriptionAges.Age]
        /// The time at which the row was read that the subscriber has.
        let time: ContinuousClock.Instant
    }

    /// The number of the message that was made last, or 0.
    private var update: UInt64 = 0
    private var rows: [Row] = []
    /// The places of the rows, by the values of their keys. Of several rows with equal values, the first one counts.
    private var places: [[DescriptionValue]: Int] = [:]

    /// Handles a page.
    ///
    /// - Parameters:
    ///   - request: The number of the subscription.
    ///   - folded: The number of intervals that have passed without a message of their own.
    /// - Returns: The message to send. It is sent also if nothing has changed, so that the subscriber knows that.
    mutating func receive(
        _ page: DescribedPage,
        at time: ContinuousClock.Instant,
        request: UInt64,
        folded: UInt64 = 0
    ) -> DescriptionMessage {
        update += 1
        var (new, newPlaces): ([Row], [[DescriptionValue]: Int]) = ([], [:])
        new.reserveCapacity(page.values.count)
        newPlaces.reserveCapacity(page.values.count)
        var (order, sent, sentCount) = (RowPlaces(), [UInt8](), 0)
        for (place, value) in page.values.enumerated() {
            let identity = page.keys.map { value[$0] ?? .null }
            let row = Self.row(value, page.row(place), at: time)
            if let before = places[identity], Self.isSame(rows[before], row) {
                // The subscriber lets the ages grow from the time at which the row was sent.
                // The bytes are those of the new page, so that no earlier page stays in memory.
                new.append(Row(still: row.still, ages: rows[before].ages, time: rows[before].time))
                order.keep(before)
            } else {
                new.append(row)
                order.send()
                sent += page.row(place)
                sentCount += 1
            }
            if newPlaces[identity] == nil { newPlaces[identity] = place }
        }
        (rows, places) = (new, newPlaces)
        var message = DescriptionMessage(
            request: request,
            total: UInt64(page.total),
            shown: UInt64(sentCount),
            rows: DescribedPage.array(sentCount) + sent,
            cut: page.cut
        )
        message.update = update
        message.folded = folded == 0 ? nil : folded
        if update == 1 { message.keys = page.keys } else { message.places = order.bytes }
        return message
    }

    private static func row(
        _ value: [String: DescriptionValue],
        _ bytes: ArraySlice<UInt8>,
        at time: ContinuousClock.Instant
    ) -> Row {
        guard let (still, ages) = DescriptionAges.split(value) else { return Row(still: bytes, ages: [], time: time) }
        var writer = CBORWriter()
        DescriptionValue.encode(still, into: &writer)
        return Row(still: writer.bytes[...], ages: ages, time: time)
    }

    private static func isSame(_ before: Row, _ now: Row) -> Bool {
        guard before.still == now.still, before.ages.count == now.ages.count else { return false }
        let elapsed = Int(before.time.duration(to: now.time) / .milliseconds(1))
        return zip(before.ages, now.ages).allSatisfy { $0.isSame($1, after: elapsed) }
    }
}
