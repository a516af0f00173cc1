import LatticeCoding
import LatticeWire

/// The rows of a section at one moment. A row is made only if it is shown, so a list of many subjects costs little.
struct DescribedList<Subject> {
    /// A value by which rows are ranked.
    enum Rank {
        /// Texts ascend.
        case text((Subject) -> String)
        /// Numbers descend, because the largest are the ones to look at. Subjects without a number come last.
        case number((Subject) -> Int?)
    }

    /// The subjects.
    let subjects: [Subject]
    /// The order of the section, or nil if the subjects are in it. They are only ordered for an answer.
    var order: ((Subject, Subject) -> Bool)?
    /// The texts of a subject that a filter looks at.
    let texts: (Subject) -> [String]
    /// The keys by which the rows can be ranked.
    let ranks: [String: Rank]
    /// Returns the number of a subject, after which a request can continue. The subjects are in the order of their
    /// numbers. Nil if the subjects have no numbers.
    var number: ((Subject) -> UInt64)?
    /// Makes the row of a subject.
    let row: (Subject) -> [String: DescriptionValue]
}

/// The limits on one answer.
struct DescriptionLimits: Sendable {
    /// The number of rows if the request does not say how many it wants.
    static let typicalRows = 100
    /// The maximum number of rows, whatever the request wants. A person reads fewer, and a program asks for the next
    /// page.
    static let maximumRows = 1_000

    /// The maximum number of bytes of the encoded rows.
    var bytes = MessageLimits.maximumRows
}

extension DescribedList {
    /// Returns the answer to a request.
    ///
    /// - Complexity: O(*n* log *n*) for a request with a sort key, and O(*n*) for others, where *n* is the number of
    ///   subjects. At most ``DescriptionLimits/maximumRows`` rows are made.
    func answer(_ request: DescribeMessage, _ limits: DescriptionLimits = DescriptionLimits()) -> DescriptionMessage {
        var found = subjects
        if let after = request.after {
            guard let number else { return withoutNumbers(request) }
            found = found.filter { number($0) > after }
        }
        if let filter = request.filter { found = found.filter { texts($0).contains { $0.contains(filter) } } }
        if let order { found.sort(by: order) }
        if let key = request.sortKey {
            guard let rank = ranks[key] else { return unknown(key, request) }
            found = Self.ranked(found, by: rank)
        }
        if request.reverse == 1 { found.reverse() }
        let offset = min(Int(request.offset ?? 0), found.count)
        let wanted = min(Int(request.limit ?? UInt32(DescriptionLimits.typicalRows)), DescriptionLimits.maximumRows)
        return page(found, from: offset, atMost: wanted, request, limits)
    }

    private func page(
        _ found: [Subject],
        from offset: Int,
        atMost wanted: Int,
        _ request: DescribeMessage,
        _ limits: DescriptionLimits
    ) -> DescriptionMessage {
        // The head of the array takes at most 3 bytes.
        var (rows, shown) = (CBORWriter(), 0)
        var cut: DescriptionCut? = offset + wanted < found.count ? .limit : nil
        for subject in found[offset...].prefix(wanted) {
            let before = rows.bytes.count
            DescriptionValue.encode(row(subject), into: &rows)
            guard rows.bytes.count + 3 <= limits.bytes else {
                guard shown > 0 else { return tooLarge(rows.bytes.count, request, limits) }
                rows.bytes.removeLast(rows.bytes.count - before)
                cut = .size
                break
            }
            shown += 1
        }
        var page = CBORWriter()
        page.append(arrayHeader: shown)
        return DescriptionMessage(
            request: request.request,
            total: UInt64(found.count),
            shown: UInt64(shown),
            rows: page.bytes + rows.bytes,
            cut: cut
        )
    }

    private static func ranked(_ subjects: [Subject], by rank: Rank) -> [Subject] {
        // The values are read once, because they can change while they are compared. The order of equal ones is kept.
        switch rank {
        case .text(let text):
            let values = subjects.map(text)
            return subjects.indices.sorted { (values[$0], $0) < (values[$1], $1) }.map { subjects[$0] }
        case .number(let number):
            let values = subjects.map { number($0) ?? .min }
            return subjects.indices.sorted { values[$0] == values[$1] ? $0 < $1 : values[$0] > values[$1] }
                .map { subjects[$0] }
        }
    }

    private func unknown(_ key: String, _ request: DescribeMessage) -> DescriptionMessage {
        let known = ranks.keys.sorted().joined(separator: ", ")
        let advice = known.isEmpty ? "Ask without a sort key." : "Its sort keys are: \(known)."
        return DescriptionMessage(
            request: request.request,
            .unknownSortKey,
            reason: "The section \"\(request.section)\" cannot be sorted by \"\(key)\". \(advice)"
        )
    }

    private func withoutNumbers(_ request: DescribeMessage) -> DescriptionMessage {
        DescriptionMessage(
            request: request.request,
            .unknownSortKey,
            reason:
                "The rows of the section \"\(request.section)\" have no numbers to continue after. Ask without a number."
        )
    }

    private func tooLarge(
        _ bytes: Int,
        _ request: DescribeMessage,
        _ limits: DescriptionLimits
    ) -> DescriptionMessage {
        DescriptionMessage(
            request: request.request,
            .tooLarge,
            reason:
                "The first row takes \(bytes) bytes, and an answer has at most \(limits.bytes). Ask for the rows after"
                + " it, with a higher offset."
        )
    }
}
