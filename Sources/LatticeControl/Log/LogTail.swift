import LatticeWire

/// The state machine of `latticectl tail`: which records are shown, and which ones were missed. It performs no I/O.
///
/// The coordinator keeps its newest records and nothing for a tool. A tool asks for the records after the last one that
/// it has. If it was too slow, the numbers of the records say how many were dropped meanwhile.
///
/// - *reading*: the records that the coordinator had at the first answer are being read. The last ones that match are
///   held back until all of them have been read. Records that come meanwhile do not make it longer.
/// - *following*: each new record that matches is shown at once.
package struct LogTail: Sendable {
    /// Something to show.
    package enum Item: Sendable, Equatable {
        /// A record that matches.
        case record(LogRecord)
        /// The number of records that the coordinator dropped before the tool read them. It is unknown whether they
        /// matched.
        case missing(UInt64)
    }

    /// When to ask for the next page.
    package enum Next: Sendable, Equatable {
        /// At once, because the coordinator has further records.
        case now
        /// After a pause.
        case later
    }

    /// A page of the section `log`.
    package struct Page: Sendable {
        /// The rows, in the order of their numbers. Rows without a number are left out.
        package let rows: [[String: DescriptionValue]]
        /// The number of records that the coordinator had after ``LogTail/last``, with those of the page.
        package let total: Int
        /// The time at which the page was received, in milliseconds since 1970.
        package let time: Int

        /// Creates a page.
        package init(rows: [[String: DescriptionValue]], total: Int, receivedAt time: Int) {
            self.rows = rows
            self.total = total
            self.time = time
        }
    }

    private enum State {
        /// The number of records that are not read yet is nil before the first page.
        case reading([LogRecord], left: Int?)
        case following
    }

    /// The maximum number of earlier records that are shown. A coordinator of this version keeps about as many.
    package static let maximumLines = 5000

    /// The number of the last record that was read. Ask for the records after it.
    package private(set) var last: UInt64 = 0
    private var state = State.reading([], left: nil)
    private let filter: LogFilter
    private let lines: Int

    /// Creates a tail.
    ///
    /// - Parameters:
    ///   - filter: The choice of records.
    ///   - lines: The maximum number of earlier records to show, at most ``maximumLines``.
    package init(_ filter: LogFilter, lines: Int) {
        self.filter = filter
        self.lines = min(max(lines, 0), Self.maximumLines)
    }

    /// A Boolean value that indicates whether the earlier records have been read.
    package var isFollowing: Bool { if case .following = state { true } else { false } }

    /// Handles a page of records.
    ///
    /// - Returns: What to show, and when to ask for the next page. A page without a new record never leads to another
    ///   request at once, so a coordinator that repeats itself is not asked without end.
    package mutating func receive(_ page: Page) -> (items: [Item], next: Next) {
        let before = last
        var records: [Item] = []
        for record in page.rows.compactMap({ LogRecord($0, receivedAt: page.time) }) where record.number > last {
            // Earlier records were dropped before the tool came, and it has not missed them.
            if isFollowing, record.number > last + 1 { records.add(missing: record.number - last - 1) }
            last = record.number
            if filter.matches(record) { records.append(.record(record)) }
        }
        let hasMore = last > before && page.rows.count < page.total
        return (show(records, of: page, hasMore: hasMore), hasMore ? .now : .later)
    }

    private mutating func show(_ items: [Item], of page: Page, hasMore: Bool) -> [Item] {
        guard case .reading(let earlier, let left) = state else { return items }
        let records = (earlier + items.compactMap(\.record)).suffix(lines)
        let rest = (left ?? page.total) - page.rows.count
        guard !hasMore || rest <= 0 else {
            state = .reading(Array(records), left: rest)
            return []
        }
        state = .following
        return records.map { .record($0) }
    }
}

extension LogTail.Item {
    fileprivate var record: LogRecord? { if case .record(let record) = self { record } else { nil } }
}

extension [LogTail.Item] {
    /// Adds missing records, and puts them together with those that were missing just before.
    fileprivate mutating func add(missing count: UInt64) {
        if case .missing(let before)? = last {
            self[endIndex - 1] = .missing(before + count)
        } else {
            append(.missing(count))
        }
    }
}
