/// The values of rows that only say how much time has passed, or is left.
///
/// A subscription does not send a row again because it has become older. The reader of its rows lets the ages grow.
package enum DescriptionAges {
    /// The keys of ages, in a row and in the maps inside of it: 1 for a time that has passed, and -1 for one that is
    /// left.
    private static let keys: [String: Int] = [
        "ageMilliseconds": 1, "agoMilliseconds": 1, "awayMilliseconds": 1, "connectedMilliseconds": 1,
        "deadlineMilliseconds": -1, "sinceMilliseconds": 1, "uptimeMilliseconds": 1,
    ]

    /// The number of milliseconds by which an age may differ from what the reader of a row computes, before the row is
    /// sent again. The values of a page are read one after the other, which takes some time on a busy machine.
    package static let tolerance = 1_000

    /// An age of a row.
    package struct Age: Sendable, Equatable {
        /// The milliseconds.
        package let value: Int
        /// 1 for a time that has passed, and -1 for one that is left.
        let direction: Int

        /// Returns whether an age is the same one, some milliseconds later.
        package func isSame(_ later: Age, after milliseconds: Int) -> Bool {
            direction == later.direction
                && abs(later.value - advanced(by: milliseconds)) <= DescriptionAges.tolerance
        }

        /// Returns the age some milliseconds later. It is never below 0.
        func advanced(by milliseconds: Int) -> Int { max(0, value + direction * milliseconds) }
    }

    /// Returns a row with 0 in the place of each age, and its ages, or nil if it has none.
    package static func split(
        _ row: [String: DescriptionValue]
    ) -> (still: [String: DescriptionValue], ages: [Age])? {
        var ages: [Age] = []
        let still = replacing(in: row) { age in
            ages.append(age)
            return 0
        }
        return ages.isEmpty ? nil : (still, ages)
    }

    /// Returns a row some milliseconds later.
    package static func advanced(
        _ row: [String: DescriptionValue],
        by milliseconds: Int
    ) -> [String: DescriptionValue] {
        replacing(in: row) { $0.advanced(by: milliseconds) }
    }

    /// Returns whether a row has ages.
    package static func hasAges(_ row: [String: DescriptionValue]) -> Bool { split(row) != nil }

    private static func replacing(
        in row: [String: DescriptionValue],
        _ replacement: (Age) -> Int
    ) -> [String: DescriptionValue] {
        guard row.contains(where: { keys[$0.key] != nil || $0.value.isNested }) else { return row }
        var row = row
        // In the order of the keys, so that the ages of equal rows have the same order.
        for key in row.keys.sorted() {
            switch row[key] {
            case .integer(let number)?:
                guard let direction = keys[key] else { continue }
                // Some thousand years, so that sums do not overflow.
                let value = Int(min(max(number, -(1 << 50)), 1 << 50))
                row[key] = .init(replacement(Age(value: value, direction: direction)))
            case .map(let entries)?: row[key] = .map(replacing(in: entries, replacement))
            case .array(let elements)?:
                row[key] = .array(
                    elements.map { element in
                        guard case .map(let entries) = element else { return element }
                        return .map(replacing(in: entries, replacement))
                    }
                )
            default: continue
            }
        }
        return row
    }
}

extension DescriptionValue {
    /// A Boolean value that indicates whether the value can contain others.
    fileprivate var isNested: Bool {
        switch self {
        case .array, .map: true
        default: false
        }
    }
}
