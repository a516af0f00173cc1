import LatticeWire

/// What has happened to a row from one page of a subscription to the next.
package enum RowChange: Sendable, Equatable {
    /// The row is new.
    case new([String: DescriptionValue])
    /// The row has other values.
    case changed(from: [String: DescriptionValue], to: [String: DescriptionValue])
    /// The row is gone.
    case gone([String: DescriptionValue])

    /// The maximum number of fields that the text of a change names.
    private static let maximumFields = 20
    /// The approximate maximum number of bytes of a row without keys in the text of a change.
    private static let maximumRowText = 200

    /// Returns the changes between two pages: rows that are gone first, then the others in the order of the new page. A
    /// row that has only become older has not changed.
    ///
    /// Pages of an older coordinator have no keys. If they have several rows, a row that differs is gone, and another
    /// one is new.
    package static func changes(from old: SectionDescription, to new: SectionDescription) -> [RowChange] {
        let isOnlyRow = old.rows.count <= 1 && new.rows.count <= 1
        func identity(_ row: [String: DescriptionValue]) -> [DescriptionValue] {
            guard new.keys.isEmpty, !isOnlyRow else { return new.keys.map { row[$0] ?? .null } }
            return [.map(still(row))]
        }
        let before = Dictionary(old.rows.map { (identity($0), $0) }, uniquingKeysWith: { first, _ in first })
        let present = Set(new.rows.map(identity))
        let gone = old.rows.filter { !present.contains(identity($0)) }.map { RowChange.gone($0) }
        return gone
            + new.rows.compactMap { row in
                guard let earlier = before[identity(row)] else { return .new(row) }
                return still(earlier) == still(row) ? nil : .changed(from: earlier, to: row)
            }
    }

    private static func still(_ row: [String: DescriptionValue]) -> [String: DescriptionValue] {
        DescriptionAges.split(row)?.still ?? row
    }

    /// The change in one word.
    package var word: String {
        switch self {
        case .new: "new"
        case .changed: "changed"
        case .gone: "gone"
        }
    }

    /// The newest values of the row.
    package var row: [String: DescriptionValue] {
        switch self {
        case .new(let row), .changed(_, let row), .gone(let row): row
        }
    }

    /// Returns the lines of the change: the row by the values of its keys, and a line for each field that differs. A
    /// row that is new or gone and has no keys is written as JSON.
    package func lines(keys: [String]) -> [String] {
        let names = keys.map { DescriptionValue.printable((row[$0] ?? .null).text(for: $0)) }.filter { !$0.isEmpty }
        let first = ([word] + names).joined(separator: " ")
        guard case .changed(let old, let new) = self else {
            guard keys.isEmpty else { return [first] }
            let text = DescriptionValue.map(row).json(atMost: Self.maximumRowText)
            return ["\(word) \(DescriptionValue.printable(text))"]
        }
        let differences = ValueDifference.lines(
            from: .map(Self.still(old)),
            to: .map(Self.still(new)),
            at: ValuePath(),
            Self.maximumFields
        )
        return [first] + differences.map { "  \($0)" }
    }

    /// The change as a JSON object.
    package var json: String {
        DescriptionValue.map(["change": .text(word), "row": .map(row)]).json
    }
}
