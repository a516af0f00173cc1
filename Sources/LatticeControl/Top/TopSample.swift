import LatticeWire

/// A section that `latticectl top` shows: a table, or the head of the screen.
package enum TopPart: Sendable, Hashable, CaseIterable {
    case coordinator
    case table(TopTable)

    /// All parts.
    package static var allCases: [TopPart] { [.coordinator] + TopTable.allCases.map { .table($0) } }

    /// The name of the section.
    package var section: String {
        switch self {
        case .coordinator: "coordinator"
        case .table(let table): table.rawValue
        }
    }

    fileprivate func identity(of row: [String: DescriptionValue]) -> String {
        switch self {
        case .coordinator: ""
        case .table(let table): table.identity(of: row)
        }
    }
}

/// What a coordinator has described last, for `latticectl top`, with the figures that are computed from two looks: the
/// CPU time in percent of one core, the events and the patches in a second, and the sums of groups. Figures that are
/// not known yet are left out.
package struct TopSample: Sendable {
    /// The rows of one section as they were described, with their time.
    private struct Look: Sendable {
        let time: ContinuousClock.Instant
        let rows: [[String: DescriptionValue]]
    }

    /// The row of the section `coordinator`.
    private(set) var coordinator: [String: DescriptionValue] = [:]
    /// The pages of the tables.
    private(set) var pages: [TopTable: SectionDescription] = [:]
    private var looks: [TopPart: Look] = [:]
    /// The page of the groups without sums.
    private var groups: SectionDescription?

    /// Takes a page of a part.
    mutating func receive(_ page: SectionDescription, of part: TopPart, at time: ContinuousClock.Instant) {
        let earlier = looks[part]
        looks[part] = Look(time: time, rows: page.rows)
        let elapsed = earlier.map { $0.time.duration(to: time) / .milliseconds(1) } ?? 0
        let before = Dictionary(
            earlier?.rows.map { (part.identity(of: $0), $0) } ?? [],
            uniquingKeysWith: { first, _ in first }
        )
        let rows = page.rows.map { Self.adding(rates: $0, since: before[part.identity(of: $0)], elapsed: elapsed) }
        switch part {
        case .coordinator: coordinator = rows.first ?? [:]
        case .table(let table):
            pages[table] = page.replacingRows(rows)
            if table == .groups { groups = page }
        }
        addSums()
    }

    private mutating func addSums() {
        // Sums of a part of the workers would be too small.
        guard let groups, let workers = pages[.workers]?.rows, isWhole(.workers) else {
            pages[.groups] = groups
            return
        }
        pages[.groups] = groups.replacingRows(groups.rows.map { Self.adding(sumsOf: workers, to: $0) })
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
        // Another process has another time, which may be smaller.
        guard let before, elapsed > 0, before["processID"] == row["processID"] else { return row }
        var row = row
        if let now = row["cpuMilliseconds"]?.int, let then = before["cpuMilliseconds"]?.int, now >= then {
            row["cpu"] = .float((Double(now - then) / elapsed * 1000).rounded() / 10)
        }
        for (key, rate) in [("acknowledged", "rate"), ("viewRevision", "patches")] {
            guard let now = row[key]?.int, let then = before[key]?.int, now >= then else { continue }
            row[rate] = .init(Int((Double(now - then) / elapsed * 1000).rounded()))
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
        var page = self
        page.rows = rows
        return page
    }
}
