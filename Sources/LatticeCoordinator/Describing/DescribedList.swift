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
    /// The number of further subjects, all of which come after those that the request shows.
    var further = 0
    /// The order of the section, or nil if the subjects are in it. They are only ordered for an answer.
    var order: ((Subject, Subject) -> Bool)?
    /// The keys whose values together identify a row. They are empty for a section with one row.
    let keys: [String]
    /// The texts of a subject that a filter looks at.
    let texts: (Subject) -> [String]
    /// The keys by which the rows can be ranked.
    let ranks: [String: Rank]
    /// Returns the number of a subject, after which a request can continue. The subjects are in the order of their
    /// numbers. Nil if the subjects have no numbers.
    var number: ((Subject) -> UInt64)?
    /// Adds what only the rows that are shown need, on a thread of the library. Nil if the subjects are complete.
    var prepare: (@Sendable ([Subject]) async -> [Subject])?
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

    /// Returns the number of rows that a request leaves out first, and the maximum number of rows after them.
    static func rows(of request: DescribeMessage) -> (offset: Int, count: Int) {
        (Int(request.offset ?? 0), min(request.limit.map { Int($0) } ?? typicalRows, maximumRows))
    }
}

extension DescribedList {
    /// The subjects that a request asks for.
    struct Choice {
        /// The subjects in their order.
        var subjects: [Subject]
        /// The number of subjects that the filter lets pass.
        let total: Int
        /// A Boolean value that indicates whether the limit leaves out subjects after these.
        let isCut: Bool
    }

    /// The result of choosing subjects.
    enum Choosing {
        case chosen(Choice)
        /// The answer that says why there is no page.
        case failed(DescriptionMessage)
    }

    /// Returns the result of a request for subjects that need no preparation.
    func result(of request: DescribeMessage, _ limits: DescriptionLimits = DescriptionLimits()) -> DescribedResult {
        switch choose(request) {
        case .chosen(let choice): page(choice, request, limits)
        case .failed(let message): .failed(message)
        }
    }

    /// Chooses the subjects that a request asks for.
    ///
    /// - Complexity: O(*n* log *n*) for a request with a sort key, and mostly O(*n*) for others, where *n* is the
    ///   number of subjects.
    func choose(_ request: DescribeMessage) -> Choosing {
        var found = subjects
        if let after = request.after {
            guard let number else { return .failed(withoutNumbers(request)) }
            found = found.filter { number($0) > after }
        }
        if let filter = request.filter { found = found.filter { texts($0).contains { $0.contains(filter) } } }
        let total = found.count + further
        let (offset, wanted) = DescriptionLimits.rows(of: request)
        if let order {
            let isWhole = request.sortKey != nil || request.reverse == 1
            found = isWhole ? found.sorted(by: order) : found.first(offset + wanted, by: order)
        }
        if let key = request.sortKey {
            guard let rank = ranks[key] else { return .failed(unknown(key, request)) }
            found = Self.ranked(found, by: rank)
        }
        if request.reverse == 1 { found.reverse() }
        let chosen = Array(found.dropFirst(offset).prefix(wanted))
        return .chosen(Choice(subjects: chosen, total: total, isCut: offset + wanted < total))
    }

    /// Returns the page with the rows of the subjects. At most ``DescriptionLimits/maximumRows`` rows are made.
    func page(
        _ choice: Choice,
        _ request: DescribeMessage,
        _ limits: DescriptionLimits = DescriptionLimits()
    ) -> DescribedResult {
        var (rows, values, ends): (CBORWriter, [[String: DescriptionValue]], [Int]) = (CBORWriter(), [], [])
        var cut: DescriptionCut? = choice.isCut ? .limit : nil
        for subject in choice.subjects {
            let before = rows.bytes.count
            let value = row(subject)
            DescriptionValue.encode(value, into: &rows)
            // The head of the array takes at most 3 bytes.
            guard rows.bytes.count + 3 <= limits.bytes else {
                guard !values.isEmpty else { return .failed(tooLarge(rows.bytes.count, request, limits)) }
                rows.bytes.removeLast(rows.bytes.count - before)
                cut = .size
                break
            }
            values.append(value)
            ends.append(rows.bytes.count)
        }
        return .page(
            DescribedPage(keys: keys, values: values, bytes: rows.bytes, ends: ends, total: choice.total, cut: cut)
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
