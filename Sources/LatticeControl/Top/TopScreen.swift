import LatticeWire

/// The text of `latticectl top`.
package struct TopScreen: Sendable {
    /// A line with its emphasis. The emphasis repeats what the text says.
    package struct Line: Sendable, Equatable {
        /// How a line is shown on a terminal that can do it.
        package enum Emphasis: Sendable {
            case none
            case bold
            case reverse
        }

        /// The text.
        package let text: String
        /// The emphasis.
        package let emphasis: Emphasis

        init(_ text: String, _ emphasis: Emphasis = .none) {
            self.text = text
            self.emphasis = emphasis
        }
    }

    /// The size of a terminal, in characters.
    package struct Size: Sendable {
        package let width: Int
        package let height: Int

        /// Creates a size.
        package init(width: Int, height: Int) {
            self.width = width
            self.height = height
        }
    }

    /// The number of lines around the rows of the table: three above its heading, the heading, and one below.
    private static let frame = 5

    private let state: TopState
    private let width: Int?

    /// - Parameter width: The number of columns of the terminal, or nil for no maximum.
    package init(_ state: TopState, width: Int?) {
        self.state = state
        self.width = width
    }

    /// Returns the lines for a terminal with a height, or all lines if the height is nil.
    package func lines(height: Int?) -> [Line] {
        if case .helping = state.mode { return fitting(Self.help.map { Line($0) }, height) }
        guard state.isComplete else { return fitting([Line("Waiting for the coordinator…")], height) }
        let sample = state.sample
        var lines = [Line(title(sample), .bold), Line(counts(sample)), Line(tabs)]
        if case .detailing(let identity, let first) = state.mode {
            lines += details(identity, from: first, height)
        } else {
            lines += table(rows: height.map { max($0 - Self.frame, 1) })
        }
        if let height {
            lines += Array(repeating: Line(""), count: max(0, height - 1 - lines.count))
            lines = Array(lines.prefix(max(height - 1, 1)))
            lines.append(Line(footer, .bold))
        }
        return fitting(lines, height)
    }

    private func fitting(_ lines: [Line], _ height: Int?) -> [Line] {
        lines.prefix(height ?? .max).map { line in
            guard let width, line.text.count > width else { return line }
            return Line(line.text.prefix(max(width - 1, 0)) + "…", line.emphasis)
        }
    }

    // MARK: Head

    private func title(_ sample: TopSample) -> String {
        let row = sample.coordinator
        let program = row["program"]?.string.map { String($0.split(separator: "/").last ?? "") } ?? "coordinator"
        let parts: [String?] = [
            "\(DescriptionValue.printable(program)) \(text(row, "processID"))", "up \(text(row, "uptimeMilliseconds"))",
            row["cpu"].map { "cpu \($0.text(for: "cpu")) %" }, "memory \(text(row, "residentBytes"))",
            "files \(text(row, "openFiles"))",
        ]
        return parts.compactMap(\.self).joined(separator: "  ")
    }

    private func counts(_ sample: TopSample) -> String {
        let names = ["workers", "instances", "clients", "tools", "quarantined"]
        let rates = sample.pages[.instances]?.rows.compactMap { $0["rate"]?.int } ?? []
        let waiting = sample.pages[.instances]?.rows.compactMap { $0["waiting"]?.int } ?? []
        // The sums are of the instances that the coordinator has described.
        let atLeast = sample.isWhole(.instances) ? "" : "≥"
        let sums = rates.isEmpty ? "" : "  events/s \(atLeast)\(rates.reduce(0, +))"
        let queue = waiting.isEmpty ? "" : "  queue \(atLeast)\(waiting.reduce(0, +))"
        return names.map { "\($0) \(text(sample.coordinator, $0))" }.joined(separator: "  ") + sums + queue
    }

    private var tabs: String {
        let names = TopTable.allCases.enumerated().map { index, table in
            table == state.table ? "[\(index + 1) \(table.rawValue)]" : " \(index + 1) \(table.rawValue) "
        }
        let order = "  by \(title(of: state.sortKey))\(state.isReversed ? " reversed" : "")"
        let filter = state.filter.map { "  with \"\(DescriptionValue.printable($0))\"" } ?? ""
        return names.joined(separator: " ") + order + filter
    }

    private func title(of key: String) -> String {
        state.table.columns.first { $0.key == key }?.title ?? TextTable.title(of: key)
    }

    private func text(_ row: [String: DescriptionValue], _ key: String) -> String {
        (row[key] ?? .null).text(for: key)
    }

    // MARK: Table

    /// - Parameter maximum: The maximum number of rows, or nil for all.
    private func table(rows maximum: Int?) -> [Line] {
        let (rows, selected) = (state.rows, state.selected)
        let total = state.sample.pages[state.table]?.total ?? rows.count
        guard !rows.isEmpty else { return [Line(""), Line("  No \(state.table.rawValue).")] }
        // One line says how many rows are not shown.
        let isCut = rows.count > maximum ?? .max || total > rows.count
        let shown = max(min(rows.count, (maximum ?? .max) - (isCut ? 1 : 0)), 1)
        let first = min(max(selected - shown / 2, 0), rows.count - shown)
        let part = Array(rows[first..<(first + shown)])
        let columns = state.table.columns
        let known = Set(columns.map(\.key))
        // Columns without any value take no room.
        let used = columns.filter { column in part.contains { $0[column.key] ?? .null != .null } }
        let hidden = Set(part.flatMap(\.keys)).subtracting(used.map(\.key)).union(known.subtracting(used.map(\.key)))
        let lines = TextTable(part, preferring: used, hiding: hidden).lines(width: width.map { max($0 - 2, 8) }).lines
        var result = [Line("  " + (lines.first ?? ""), .bold)]
        for (index, line) in lines.dropFirst().enumerated() {
            let isSelected = maximum != nil && first + index == selected
            result.append(Line((isSelected ? "> " : "  ") + line, isSelected ? .reverse : .none))
        }
        if isCut { result.append(Line("  \(first + 1) to \(first + shown) of \(total)")) }
        return result
    }

    // MARK: Details

    /// Returns the highest index of a line with which the details of a row can begin.
    func maximumFirst(_ identity: String, height: Int) -> Int {
        Self.maximumFirst(of: details(of: identity).count, height: height)
    }

    private func details(_ identity: String, from first: Int, _ height: Int?) -> [Line] {
        let lines = details(of: identity)
        // The lines can have become fewer.
        let first = height.map { min(first, Self.maximumFirst(of: lines.count, height: $0)) } ?? 0
        let shown = lines.dropFirst(first).prefix(height.map(Self.detailLines) ?? .max)
        let isCut = shown.count < lines.count
        return [Line(isCut ? "  \(first + 1) to \(first + shown.count) of \(lines.count) lines" : "")] + shown
    }

    private func details(of identity: String) -> [Line] {
        guard let row = state.row(with: identity) else { return [Line("  It is not described any more.")] }
        return DescriptionText(width: width.map { max($0 - 2, 20) }).lines(for: row).map { Line("  " + $0) }
    }

    private static func maximumFirst(of lines: Int, height: Int) -> Int { max(0, lines - detailLines(height)) }

    /// The number of lines of a row that fit between the head, the line about the others, and the foot.
    private static func detailLines(_ height: Int) -> Int { max(height - frame, 1) }

    // MARK: Foot

    private var footer: String {
        switch state.mode {
        case .confirming(let worker):
            "Restart the worker \(DescriptionValue.printable(worker))? What runs in it is interrupted. y/n"
        case .filtering(let text): "Show rows with: \(DescriptionValue.printable(text))_   Enter: show  Escape: keep"
        case .detailing: "Escape: back  Up Down: other lines  q: quit"
        case .browsing, .helping:
            state.message ?? "q quit  ? help  1-4 table  Enter more  s sort  r reverse  / filter  R restart"
        }
    }

    private static let help = [
        "latticectl top shows what a coordinator does.", "",
        "1 2 3 4, Tab      workers, instances, clients, groups", "Up Down, j k      select a row",
        "Page up, down     select a row further away", "Enter             show all fields of the row",
        "s                 sort by the next column",
        "r                 reverse the order", "/                 show only rows with a text; an empty text shows all",
        "R                 restart the worker of the selected row, after a question",
        "q, Control-C      quit", "",
        "CPU% is of one core. EVENTS/S are the events that a worker applied.",
        "P50 and P99: the times that half, and 99 of 100, of the events of clients took",
        "at most, in the last 10 to 20 seconds, from their arrival to their outcome.",
        "QUEUE are events of clients that wait to be sent to the worker.",
        "LAG: the view states by which the slowest client is behind. UNREAD: bytes that a",
        "client has not taken.", "", "Press a key to go back.",
    ]
}
