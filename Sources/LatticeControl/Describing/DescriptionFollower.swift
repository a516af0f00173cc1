import LatticeCoding
import LatticeWire

/// The state machine of the page that a subscription describes. It applies each message to the page before. It performs
/// no I/O.
struct DescriptionFollower: Sendable {
    /// A row, with the time at which it arrived.
    private struct Row: Sendable {
        let value: [String: DescriptionValue]
        let arrival: ContinuousClock.Instant
        let hasAges: Bool
        /// The number of bytes that the encoded row takes.
        let bytes: Int

        init(_ value: [String: DescriptionValue], at time: ContinuousClock.Instant) {
            var writer = CBORWriter()
            DescriptionValue.encode(value, into: &writer)
            self.value = value
            arrival = time
            hasAges = DescriptionAges.hasAges(value)
            bytes = writer.bytes.count
        }

        /// Returns the row as it is at a time.
        func value(at time: ContinuousClock.Instant) -> [String: DescriptionValue] {
            guard hasAges, time > arrival else { return value }
            return DescriptionAges.advanced(value, by: Int(arrival.duration(to: time) / .milliseconds(1)))
        }
    }

    /// The maximum of ``SectionDescription/folded``. It is far above any real number of intervals, and small enough to
    /// be added.
    static let maximumFolded = 1 << 50
    /// The maximum number of bytes that the rows of a page take together. A coordinator sends pages of at most
    /// `MessageLimits.maximumRows`, but another program may encode its numbers in fewer bytes than this process.
    private static let maximumBytes = 4 * MessageLimits.maximumRows

    private let section: String
    private let offset: Int
    private var rows: [Row] = []
    private var keys: [String] = []
    /// The number of the message that arrived last, or 0.
    private var update: UInt64 = 0

    init(_ section: String, offset: Int) {
        self.section = section
        self.offset = offset
    }

    /// Handles a message with rows.
    ///
    /// - Returns: The page.
    /// - Throws: ``ControlError`` if the message cannot be read, or does not fit the page before.
    mutating func receive(
        _ message: DescriptionMessage,
        at time: ContinuousClock.Instant
    ) throws -> SectionDescription {
        let sent: [Row]
        let places: RowPlaces?
        do {
            sent = try DescriptionValue.rows(decoding: message.rows).map { Row($0, at: time) }
            places = try message.places.map { places throws(CBORError) in try RowPlaces(decoding: places) }
        } catch {
            throw ControlError.unreadable(error)
        }
        // Nil if the coordinator knows no subscriptions. Its only answer is a whole page.
        if let number = message.update, number != update + 1 { throw ControlError.unfitting(section) }
        update = message.update ?? 0
        guard let page = places.map({ $0.page(from: rows, sent) }) ?? sent else {
            throw ControlError.unfitting(section)
        }
        // Without this check, messages that keep all rows could make a page of any size.
        guard page.reduce(0, { $0 + $1.bytes }) <= Self.maximumBytes else { throw ControlError.unfitting(section) }
        rows = page
        keys = message.keys ?? keys
        return SectionDescription(
            section: section,
            rows: rows.map { $0.value(at: time) },
            total: Int(clamping: message.total),
            offset: offset,
            cut: message.cut.map { SectionDescription.Cut($0) },
            keys: keys,
            folded: Int(min(message.folded ?? 0, UInt64(Self.maximumFolded)))
        )
    }
}
