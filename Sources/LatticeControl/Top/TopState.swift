import LatticeWire

/// The state machine of `latticectl top`: what is shown, and what the keys do. It performs no I/O.
///
/// The mode is one of these:
///
/// - *browsing*: keys choose the table, the order and the row.
/// - *filtering*: keys write the text of the filter.
/// - *confirming*: the next key says whether a worker is restarted.
/// - *detailing*: one row is shown with all of its fields, and keys move its lines.
/// - *helping*: the keys are explained until the next key.
package struct TopState: Sendable {
    /// What to do after an input.
    package enum Output: Sendable, Equatable {
        /// Draw the screen again.
        case draw
        /// Restart a worker.
        case restart(String)
        /// End the program.
        case quit
    }

    enum Mode: Sendable, Equatable {
        case browsing
        case filtering(String)
        case confirming(worker: String)
        /// `first` is the index of the first line that is shown.
        case detailing(identity: String, first: Int)
        case helping
    }

    /// The maximum number of characters of a filter, so that its bytes fit into a request.
    private static let maximumFilter = 60

    /// The table that is shown.
    package private(set) var table = TopTable.workers
    /// The text that rows must contain, or nil.
    package private(set) var filter: String?
    private(set) var mode = Mode.browsing
    private(set) var isReversed = false
    private var sortKeys: [TopTable: String] = [:]
    private(set) var sample = TopSample()
    private(set) var message: String?
    /// The identity of the selected row, or nil for the first one.
    private var selectedIdentity: String?

    package init() {}

    /// A Boolean value that indicates whether the coordinator has described what the screen shows.
    package var isComplete: Bool { !sample.coordinator.isEmpty && sample.pages[table] != nil }

    /// The key by which the coordinator is asked to rank the rows. An older one refuses keys that its rows do not have.
    /// It also refuses `viewRevision`, which its rows have. A coordinator that ranks by it describes `lag` as well.
    private var rank: String? {
        guard let rank = table.rank(of: sortKey), sortKey != table.firstSortKey else {
            return table.rank(of: sortKey)
        }
        let evidence = rank == "viewRevision" ? "lag" : rank
        return sample.pages[table]?.rows.contains { $0[evidence] != nil } == true ? rank : nil
    }

    /// The key by which the rows of the table are ranked.
    package var sortKey: String { sortKeys[table] ?? table.firstSortKey }

    /// The rows of the table in their order.
    var rows: [[String: DescriptionValue]] {
        let rows = sample.pages[table]?.rows ?? []
        let key = sortKey
        // The order of equal rows is kept, so that they do not jump.
        let sorted = rows.enumerated().sorted { left, right in
            switch Self.order(left.element[key], right.element[key]) {
            case 0: left.offset < right.offset
            case let order: (order < 0) != isReversed
            }
        }
        return sorted.map(\.element)
    }

    /// Returns a negative number if the first value comes first. Texts ascend, and numbers descend. Rows without a
    /// value come last.
    private static func order(_ left: DescriptionValue?, _ right: DescriptionValue?) -> Int {
        switch (number(left), number(right)) {
        case (let left?, let right?): return left == right ? 0 : left > right ? -1 : 1
        case (_?, nil): return -1
        case (nil, _?): return 1
        case (nil, nil): break
        }
        switch (left?.string, right?.string) {
        case (let left?, let right?): return left == right ? 0 : left < right ? -1 : 1
        case (_?, nil): return -1
        case (nil, _?): return 1
        case (nil, nil): return 0
        }
    }

    private static func number(_ value: DescriptionValue?) -> Double? {
        switch value {
        case .integer(let number)?: Double(number)
        case .float(let number)?: number
        default: nil
        }
    }

    /// Returns the row with an identity, or nil if the coordinator no longer describes it.
    func row(with identity: String) -> [String: DescriptionValue]? {
        sample.pages[table]?.rows.first { table.identity(of: $0) == identity }
    }

    /// The index of the selected row, or 0 if it is gone.
    var selected: Int {
        selectedIdentity.flatMap { identity in rows.firstIndex { table.identity(of: $0) == identity } } ?? 0
    }

    // MARK: Inputs

    /// Shows another table.
    package mutating func choose(_ table: TopTable) {
        self.table = table
        selectedIdentity = nil
        isReversed = false
    }

    /// Handles a page that the coordinator described.
    ///
    /// - Parameter query: What the coordinator was asked for. The page of a query that is no longer the present one is
    ///   dropped.
    /// - Returns: What to do, or nil if the page changes nothing on the screen.
    package mutating func receive(
        _ page: SectionDescription,
        for query: TopQuery,
        at time: ContinuousClock.Instant
    ) -> Output? {
        guard query == self.query(of: query.part) else { return nil }
        let wasComplete = isComplete
        sample.receive(page, of: query.part, at: time)
        return query.part == .table(table) || !wasComplete ? .draw : nil
    }

    /// Returns what the coordinator has to be asked for to show a part. Only the table that is shown is filtered. The
    /// coordinator ranks the rows, so that the first ones are asked for and not just any.
    package func query(of part: TopPart) -> TopQuery {
        guard case .table(let table) = part else { return TopQuery(part: part) }
        guard table == self.table else { return TopQuery(part: part, rank: table.rank(of: table.firstSortKey)) }
        return TopQuery(part: part, filter: filter, rank: rank, isReversed: isReversed)
    }

    /// Handles the end of an act, or another message for the user.
    package mutating func receive(message: String) { self.message = DescriptionValue.printable(message) }

    /// Handles a key.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - size: The size of the screen on which the user pressed it, or nil for one that shows everything.
    package mutating func receive(_ key: TopKey, on size: TopScreen.Size? = nil) -> Output {
        if key == .interrupt { return .quit }
        switch mode {
        case .browsing: return browse(key)
        case .filtering(let text): return write(key, text)
        case .confirming(let worker):
            mode = .browsing
            guard key == .character("y") || key == .character("Y") else {
                message = "Nothing was restarted."
                return .draw
            }
            message = "Restarting \(worker)…"
            return .restart(worker)
        case .detailing(let identity, let first): return move(key, identity, first, size)
        case .helping:
            mode = .browsing
            return .draw
        }
    }

    private mutating func browse(_ key: TopKey) -> Output {
        message = nil
        switch key {
        case .character("q"): return .quit
        case .character("?"), .character("h"): mode = .helping
        case .character("/"): mode = .filtering(filter ?? "")
        case .character("s"): nextSortKey()
        case .character("r"): isReversed.toggle()
        case .character("R"): askForRestart()
        case .enter: showDetails()
        case .character("1"), .character("2"), .character("3"), .character("4"):
            if case .character(let digit) = key, let number = digit.wholeNumberValue {
                choose(TopTable.allCases[number - 1])
            }
        case .tab:
            let all = TopTable.allCases
            choose(all[((all.firstIndex(of: table) ?? 0) + 1) % all.count])
        case .up, .character("k"): select(selected - 1)
        case .down, .character("j"): select(selected + 1)
        case .pageUp: select(selected - 10)
        case .pageDown: select(selected + 10)
        default: break
        }
        return .draw
    }

    private mutating func nextSortKey() {
        let keys = table.columns.map(\.key)
        let index = keys.firstIndex(of: sortKey) ?? 0
        sortKeys[table] = keys[(index + 1) % keys.count]
        isReversed = false
    }

    private mutating func select(_ index: Int) {
        let rows = rows
        guard !rows.isEmpty else { return }
        selectedIdentity = table.identity(of: rows[min(max(index, 0), rows.count - 1)])
    }

    private mutating func showDetails() {
        let rows = rows
        guard rows.indices.contains(selected) else { return }
        let identity = table.identity(of: rows[selected])
        selectedIdentity = identity
        mode = .detailing(identity: identity, first: 0)
    }

    private mutating func move(_ key: TopKey, _ identity: String, _ first: Int, _ size: TopScreen.Size?) -> Output {
        let maximum = size.map { TopScreen(self, width: $0.width).maximumFirst(identity, height: $0.height) } ?? 0
        // The lines can have become fewer.
        var first = min(first, maximum)
        switch key {
        case .character("q"): return .quit
        case .escape, .enter, .backspace:
            mode = .browsing
            return .draw
        case .up, .character("k"): first -= 1
        case .down, .character("j"): first += 1
        case .pageUp: first -= 10
        case .pageDown: first += 10
        default: break
        }
        mode = .detailing(identity: identity, first: min(max(first, 0), maximum))
        return .draw
    }

    private mutating func askForRestart() {
        let rows = rows
        guard rows.indices.contains(selected), let worker = rows[selected]["worker"]?.string else {
            message = "Select a worker, or an instance to restart its worker."
            return
        }
        mode = .confirming(worker: worker)
    }

    private mutating func write(_ key: TopKey, _ text: String) -> Output {
        switch key {
        case .enter:
            filter = text.isEmpty ? nil : text
            selectedIdentity = nil
            mode = .browsing
        case .escape: mode = .browsing
        case .backspace: mode = .filtering(String(text.dropLast()))
        case .character(let character):
            if text.count < Self.maximumFilter { mode = .filtering(text + String(character)) }
        default: break
        }
        return .draw
    }
}

/// What `latticectl top` asks a coordinator for.
package struct TopQuery: Sendable, Hashable {
    /// The part of the screen.
    package let part: TopPart
    /// The text that rows must contain, or nil.
    package let filter: String?
    /// The key by which the coordinator ranks the rows, or nil for its own order.
    package let rank: String?
    /// A Boolean value that indicates whether the order is reversed.
    package let isReversed: Bool

    init(part: TopPart, filter: String? = nil, rank: String? = nil, isReversed: Bool = false) {
        self.part = part
        self.filter = filter
        self.rank = rank
        self.isReversed = isReversed
    }

    /// The query without a rank, for a coordinator that ranks by no such key.
    package var unranked: TopQuery { TopQuery(part: part, filter: filter) }
}
