import LatticeWire

/// The state machine of `latticectl top`: what is shown, and what the keys do. It performs no I/O.
///
/// The mode is one of these:
///
/// - *browsing*: keys choose the table, the order and the row.
/// - *filtering*: keys write the text of the filter.
/// - *confirming*: the next key says whether a worker is restarted.
/// - *helping*: the keys are explained until the next key.
package struct TopState: Sendable {
    /// What to do after an input.
    package enum Output: Sendable, Equatable {
        /// Draw the screen again.
        case draw
        /// Ask the coordinator again with the present table, filter and order, and draw.
        case refresh
        /// Restart a worker.
        case restart(String)
        /// End the program.
        case quit
    }

    enum Mode: Sendable, Equatable {
        case browsing
        case filtering(String)
        case confirming(worker: String)
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
    private(set) var sample: TopSample?
    private var raw: TopSample?
    private(set) var message: String?
    /// The identity of the selected row, or nil for the first one.
    private var selectedIdentity: String?

    package init() {}

    /// What the coordinator has to be asked for.
    package var view: TopView {
        TopView(table: table, filter: filter, rank: rank, isReversed: isReversed)
    }

    /// The key by which the coordinator is asked to rank the rows. An older one refuses keys that its rows do not have.
    private var rank: String? {
        guard let rank = table.rank(of: sortKey), sortKey != table.firstSortKey else {
            return table.rank(of: sortKey)
        }
        return raw?.pages[table]?.rows.contains { $0[rank] != nil } == true ? rank : nil
    }

    /// The key by which the rows of the table are ranked.
    package var sortKey: String { sortKeys[table] ?? table.firstSortKey }

    /// The rows of the table in their order.
    var rows: [[String: DescriptionValue]] {
        let rows = sample?.pages[table]?.rows ?? []
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

    /// The index of the selected row, or 0 if it is gone.
    var selected: Int {
        selectedIdentity.flatMap { identity in rows.firstIndex { table.identity(of: $0) == identity } } ?? 0
    }

    // MARK: Inputs

    /// Shows another table.
    package mutating func choose(_ table: TopTable) -> Output {
        show(table)
        return .refresh
    }

    /// Handles what the coordinator described.
    package mutating func receive(_ sample: TopSample) -> Output {
        self.sample = sample.withRates(since: raw)
        raw = sample
        return .draw
    }

    /// Handles the end of an act, or another message for the user.
    package mutating func receive(message: String) -> Output {
        self.message = DescriptionValue.printable(message)
        return .refresh
    }

    /// Handles a key.
    package mutating func receive(_ key: TopKey) -> Output {
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
        case .character("s"):
            nextSortKey()
            return afterNewOrder
        case .character("r"):
            isReversed.toggle()
            return afterNewOrder
        case .character("R"): askForRestart()
        case .character("1"), .character("2"), .character("3"), .character("4"):
            if case .character(let digit) = key, let number = digit.wholeNumberValue {
                show(TopTable.allCases[number - 1])
            }
            return .refresh
        case .tab:
            let all = TopTable.allCases
            show(all[((all.firstIndex(of: table) ?? 0) + 1) % all.count])
            return .refresh
        case .up, .character("k"): select(selected - 1)
        case .down, .character("j"): select(selected + 1)
        case .pageUp: select(selected - 10)
        case .pageDown: select(selected + 10)
        default: break
        }
        return .draw
    }

    private mutating func show(_ table: TopTable) {
        self.table = table
        selectedIdentity = nil
        isReversed = false
    }

    private mutating func nextSortKey() {
        let keys = table.columns.map(\.key)
        let index = keys.firstIndex(of: sortKey) ?? 0
        sortKeys[table] = keys[(index + 1) % keys.count]
        isReversed = false
    }

    /// Another order has other first rows, if the coordinator has more rows than were asked for.
    private var afterNewOrder: Output {
        guard let page = sample?.pages[table] else { return .draw }
        return page.rows.count < page.total ? .refresh : .draw
    }

    private mutating func select(_ index: Int) {
        let rows = rows
        guard !rows.isEmpty else { return }
        selectedIdentity = table.identity(of: rows[min(max(index, 0), rows.count - 1)])
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
            return .refresh
        case .escape: mode = .browsing
        case .backspace: mode = .filtering(String(text.dropLast()))
        case .character(let character):
            if text.count < Self.maximumFilter { mode = .filtering(text + String(character)) }
        default: break
        }
        return .draw
    }
}

/// What `latticectl top` shows of a coordinator.
package struct TopView: Sendable, Equatable {
    /// The table.
    package let table: TopTable
    /// The text that rows must contain, or nil.
    package let filter: String?
    /// The key by which the coordinator ranks the rows, or nil for its own order.
    package let rank: String?
    /// A Boolean value that indicates whether the order is reversed.
    package let isReversed: Bool
}
