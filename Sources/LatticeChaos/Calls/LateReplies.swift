/// How many answers may have come to the nodes of a round too late: where more have, one came twice.
struct LateReplies: Sendable {
    private let killedCalls: Int
    private let titles: [String]
    /// By the callers; the coordinator's first.
    private let records: [[CallRecord]]
    private let isLast: @Sendable (ChaosCall.Identifier) -> Bool

    /// - Parameter records: Of the callers that were there until the end, each its own.
    init(_ plan: CallPlan, _ records: [[CallRecord]]) {
        let parts = plan.parts.prefix(records.count)
        self.records = records
        titles = parts.map(\.title)
        killedCalls = plan.parts.dropFirst(records.count).map(\.calls).reduce(0, +)
        let last = Set(parts.flatMap(\.lastLane.calls).map(\.identifier))
        isLast = { last.contains($0) }
    }

    /// - Parameters:
    ///   - now: How many have come to each node.
    ///   - before: How many had, before the calls at the end were made.
    func counts(now: [Int], before: [Int]) -> [CallCounts] {
        titles.indices.flatMap { caller in
            let atEnd = CallCounts(
                title: "\(titles[caller]), at the end,",
                lateReplies: now[caller] - before[caller],
                // A connection may break there too.
                maximumLateReplies: givenUp(caller) { isLast($0.call.identifier) }
            )
            let inAll = CallCounts(
                title: titles[caller],
                lateReplies: now[caller],
                maximumLateReplies: givenUp(caller) { _ in true } + (caller == 0 ? killedCalls : 0)
            )
            return [inAll, atEnd]
        }
    }

    /// Through the coordinator go the calls of all.
    private func givenUp(_ caller: Int, where isMeant: (CallRecord) -> Bool) -> Int {
        let records = caller == 0 ? self.records.flatMap(\.self) : self.records[caller]
        return records.count { $0.end.mayBeAnsweredLate && isMeant($0) }
    }
}
