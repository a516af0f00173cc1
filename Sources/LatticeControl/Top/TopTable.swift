package import LatticeWire

/// A table of `latticectl top`.
package enum TopTable: String, Sendable, CaseIterable {
    case workers
    case instances
    case clients
    case groups

    /// The columns, the most important ones first. They are the keys by which the rows can be ranked.
    var columns: [TextTable.Column] {
        switch self {
        case .workers:
            [
                .init("worker", "WORKER"), .init("state", "STATE"), .init("processID", "PID"), .init("cpu", "CPU%"),
                .init("residentBytes", "MEMORY"), .init("restarts", "RESTARTS"), .init("sinceMilliseconds", "SINCE"),
                .init("openFiles", "FILES"), .init("reason", "REASON"),
            ]
        case .instances:
            [
                .init("feature", "FEATURE"), .init("instance", "INSTANCE"), .init("status", "STATUS"),
                .init("rate", "EVENTS/S"), .init("p50Milliseconds", "P50"), .init("p99Milliseconds", "P99"),
                .init("waiting", "QUEUE"), .init("running", "RUNNING"),
                .init("stateBytes", "SIZE"), .init("subscribers", "SUBS"), .init("worker", "WORKER"),
                .init("revision", "REVISION"), .init("reason", "REASON"),
            ]
        case .clients:
            [
                .init("processID", "PID"), .init("state", "STATE"), .init("cpu", "CPU%"), .init("running", "RUNNING"),
                .init("channels", "CHANNELS"), .init("connectedMilliseconds", "CONNECTED"),
                .init("program", "PROGRAM", keepsEnd: true),
            ]
        case .groups:
            [
                .init("group", "GROUP"), .init("workers", "WORKERS"), .init("maximumWorkers", "MAXIMUM"),
                .init("cpu", "CPU%"), .init("residentBytes", "MEMORY"), .init("restarts", "RESTARTS"),
                .init("placement", "PLACEMENT"),
            ]
        }
    }

    /// Returns the key by which the coordinator ranks the rows for a column, or nil if it cannot. Loads and rates are
    /// computed from two looks, so for them it ranks by the sums since the beginning.
    package func rank(of key: String) -> String? {
        switch (self, key) {
        case (.workers, "cpu"): "cpuMilliseconds"
        case (.workers, "worker"), (.workers, "state"), (.workers, "restarts"), (.workers, "residentBytes"): key
        case (.instances, "rate"): "acknowledged"
        case (.instances, "feature"), (.instances, "status"), (.instances, "revision"), (.instances, "stateBytes"),
            (.instances, "waiting"), (.instances, "running"), (.instances, "subscribers"),
            (.instances, "p50Milliseconds"), (.instances, "p99Milliseconds"):
            key
        case (.clients, "running"), (.clients, "channels"), (.groups, "group"): key
        default: nil
        }
    }

    /// The key by which the rows are ranked at first.
    package var firstSortKey: String {
        switch self {
        case .workers: "cpu"
        case .instances: "rate"
        case .clients: "running"
        case .groups: "cpu"
        }
    }

    /// Returns what identifies a row from one sample to the next.
    func identity(of row: [String: DescriptionValue]) -> String {
        let keys: [String] =
            switch self {
            case .workers: ["worker"]
            case .instances: ["feature", "instance"]
            case .clients: ["client"]
            case .groups: ["group"]
            }
        return keys.map { row[$0]?.string ?? "" }.joined(separator: "\0")
    }
}

/// What a coordinator described at one moment, for `latticectl top`.
package struct TopSample: Sendable {
    /// The time of the sample.
    package let time: ContinuousClock.Instant
    /// The row of the section `coordinator`.
    package let coordinator: [String: DescriptionValue]
    /// The pages of the tables.
    package let pages: [TopTable: SectionDescription]

    /// Creates a sample.
    package init(
        at time: ContinuousClock.Instant,
        coordinator: [String: DescriptionValue],
        pages: [TopTable: SectionDescription]
    ) {
        self.time = time
        self.coordinator = coordinator
        self.pages = pages
    }

    /// Adds what is computed from two samples: the CPU time in percent of one core, the events in a second, and the
    /// sums of groups. Values that are not known yet are left out.
    ///
    /// - Parameter earlier: The sample before this one, or nil.
    func withRates(since earlier: TopSample?) -> TopSample {
        let elapsed = earlier.map { $0.time.duration(to: time) / .milliseconds(1) } ?? 0
        var pages = pages
        for (table, page) in pages {
            let before = Dictionary(
                earlier?.pages[table]?.rows.map { (table.identity(of: $0), $0) } ?? [],
                uniquingKeysWith: { first, _ in first }
            )
            pages[table] = page.replacingRows(
                page.rows.map { row in
                    Self.adding(rates: row, since: before[table.identity(of: row)], elapsed: elapsed)
                }
            )
        }
        // Sums of a part of the workers would be too small.
        if let groups = pages[.groups], let workers = pages[.workers]?.rows, isWhole(.workers) {
            pages[.groups] = groups.replacingRows(groups.rows.map { Self.adding(sumsOf: workers, to: $0) })
        }
        let own = Self.adding(rates: coordinator, since: earlier?.coordinator, elapsed: elapsed)
        return TopSample(at: time, coordinator: own, pages: pages)
    }

    /// Returns whether a page has all rows of the coordinator. It has a part of them if there are more than were asked
    /// for, or if they were filtered.
    func isWhole(_ table: TopTable) -> Bool {
        guard let page = pages[table] else { return false }
        return page.rows.count >= max(page.total, coordinator[table.rawValue]?.int ?? 0)
    }

    private static func adding(
        rates row: [String: DescriptionValue],
        since before: [String: DescriptionValue]?,
        elapsed: Double
    ) -> [String: DescriptionValue] {
        var row = row
        // Another process has another time, which may be smaller.
        guard let before, elapsed > 0, before["processID"] == row["processID"] else { return row }
        if let now = row["cpuMilliseconds"]?.int, let then = before["cpuMilliseconds"]?.int, now >= then {
            row["cpu"] = .float((Double(now - then) / elapsed * 1000).rounded() / 10)
        }
        if let now = row["acknowledged"]?.int, let then = before["acknowledged"]?.int, now >= then {
            row["rate"] = .init(Int((Double(now - then) / elapsed * 1000).rounded()))
        }
        return row
    }

    private static func adding(
        sumsOf workers: [[String: DescriptionValue]],
        to group: [String: DescriptionValue]
    ) -> [String: DescriptionValue] {
        let name = group["group"] == "default" ? "" : group["group"]
        let members = workers.filter { $0["group"] == name }
        var group = group
        for key in ["residentBytes", "restarts"] {
            let values = members.compactMap { $0[key]?.int }
            if !values.isEmpty { group[key] = .init(values.reduce(0, +)) }
        }
        let loads = members.compactMap { if case .float(let load)? = $0["cpu"] { load } else { nil } }
        if !loads.isEmpty { group["cpu"] = .float((loads.reduce(0, +) * 10).rounded() / 10) }
        return group
    }
}

extension SectionDescription {
    fileprivate func replacingRows(_ rows: [[String: DescriptionValue]]) -> SectionDescription {
        SectionDescription(section: section, rows: rows, total: total, offset: offset, cut: cut)
    }
}
