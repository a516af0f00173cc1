@_exported public import LatticeWire

/// A page of a section of a coordinator, as it was when the coordinator answered.
///
/// Rows describe themselves. Use the keys that you know, and show or skip the others: a newer coordinator can have more
/// of them.
///
/// ```swift
/// let workers = try await control.describe("workers", sortedBy: "residentBytes")
/// for worker in workers.rows { print(worker["worker"]?.string ?? "", worker["residentBytes"]?.int ?? 0) }
/// ```
public struct SectionDescription: Sendable, Equatable {
    /// The reason why rows after the last one are missing. Later versions may add reasons.
    public struct Cut: Sendable, Hashable, CustomStringConvertible {
        /// The name of the reason, such as "limit".
        public let description: String

        /// The number of rows has reached the limit of the request, or the maximum of the coordinator.
        public static let limit = Cut(description: "limit")
        /// One more row would make the answer larger than 256 KiB.
        public static let size = Cut(description: "size")
    }

    /// The name of the section. It is empty for the list of all sections.
    public let section: String
    /// The rows of this page.
    public internal(set) var rows: [[String: DescriptionValue]]
    /// The number of rows that the filter let pass, of which the page may have only some.
    public let total: Int
    /// The number of rows before the first one of this page.
    public let offset: Int
    /// The reason why rows after the last one are missing, or nil if the page has the last row.
    public let cut: Cut?
    /// The keys whose values together identify a row from one page of a subscription to the next. They are empty if the
    /// section has one row, or if the page does not come from a subscription.
    public let keys: [String]
    /// The number of intervals of a subscription that have passed without a page of their own before this one, because
    /// the budget was used up or because the program did not take the pages.
    public internal(set) var folded: Int

    /// Creates a page.
    public init(
        section: String,
        rows: [[String: DescriptionValue]],
        total: Int,
        offset: Int = 0,
        cut: Cut? = nil,
        keys: [String] = [],
        folded: Int = 0
    ) {
        self.section = section
        self.rows = rows
        self.total = total
        self.offset = offset
        self.cut = cut
        self.keys = keys
        self.folded = folded
    }
}

extension SectionDescription.Cut {
    init(_ code: DescriptionCut) {
        self =
            switch code {
            case .limit: .limit
            case .size: .size
            default: Self(description: "reason \(code.rawValue)")
            }
    }
}
