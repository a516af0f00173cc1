import LatticeCoding
package import LatticeWire

/// A record of a coordinator's log: a row of its section `log`.
package struct LogRecord: Sendable, Equatable {
    /// The number of the record. The next record has this number plus 1.
    package let number: UInt64
    /// The fields of the row, also those that this version does not know.
    package let fields: [String: DescriptionValue]
    /// The time at which the coordinator noticed what the record is about, in milliseconds since 1970.
    package let time: Int

    /// Creates a record, or nil if the row has no number.
    ///
    /// - Parameter time: The time at which the row was received, in milliseconds since 1970. The coordinator tells the
    ///   age of a record when it answers.
    package init?(_ row: [String: DescriptionValue], receivedAt time: Int) {
        guard case .integer(let number)? = row["number"], let number = UInt64(exactly: number) else { return nil }
        self.number = number
        fields = row
        // A coordinator may send any number.
        let (past, overflows) = time.subtractingReportingOverflow(row["agoMilliseconds"]?.int ?? 0)
        self.time = overflows ? 0 : max(0, past)
    }

    /// The level, or an empty text if the row has none.
    package var level: String { fields["level"]?.string ?? "" }

    /// The IDs of the events that the record is about.
    var events: [String] { fields["events"]?.elements?.compactMap(\.string) ?? [] }

    /// Returns whether the record is about a feature, or about one of its events.
    func isAbout(feature: String) -> Bool {
        if let own = fields["feature"]?.string { return own == feature }
        // The ID of an event begins with the feature, which is percent-encoded.
        return events.contains { event in
            let text = event.prefix { $0 != "/" }
            // A worker wrote some of them, so they need not be IDs.
            return (PercentCoding.decoded(text) ?? String(text)) == feature
        }
    }
}

/// A choice of records. A record has to match each criterion that is not nil.
package struct LogFilter: Sendable, Equatable {
    /// The levels from the least important one to the most important one. They are those of swift-log.
    package static let levels = ["trace", "debug", "info", "notice", "warning", "error", "critical"]

    /// The lowest level. Levels that this version does not know match.
    package var level: String?
    /// The ID of an event that the record is about.
    package var event: String?
    /// The identifier of a feature that the record is about, or whose event it is about.
    package var feature: String?
    /// A worker, its process ID, or its group.
    package var worker: String?

    /// Creates a choice.
    package init(level: String? = nil, event: String? = nil, feature: String? = nil, worker: String? = nil) {
        self.level = level
        self.event = event
        self.feature = feature
        self.worker = worker
    }

    /// Returns whether the record matches.
    func matches(_ record: LogRecord) -> Bool {
        if let level, let lowest = Self.levels.firstIndex(of: level),
            let own = Self.levels.firstIndex(of: record.level), own < lowest
        {
            return false
        }
        if let event, !record.events.contains(event) { return false }
        if let feature, !record.isAbout(feature: feature) { return false }
        guard let worker else { return true }
        let fields = record.fields
        return [fields["worker"]?.string, fields["group"]?.string, fields["processID"]?.int.map { "\($0)" }]
            .contains(worker)
    }
}
