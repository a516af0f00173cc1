/// Computes how many answers may have arrived too late at the nodes of a round. If there were more, an answer arrived
/// twice.
struct LateReplies: Sendable {
    private let killedCalls: Int
    private let titles: [String]
    /// The records by caller. The first one is the coordinator's.
    private let records: [[CallRecord]]
    private let isLast: @Sendable (ChaosCall.Identifier) -> Bool

    /// - Parameters:
    ///   - plan: The plan.
    ///   - records: The records of each caller that lived until the end.
    init(_ plan: CallPlan, _ records: [[CallRecord]]) {
        let parts = plan.parts.prefix(records.count)
        self.records = records
        titles = parts.map(\.title)
        killedCalls = plan.parts.dropFirst(records.count).map(\.calls).reduce(0, +)
        let last = Set(parts.flatMap(\.lastLane.calls).map(\.identifier))
        isLast = { last.contains($0) }
    }

    /// Returns the counts of all nodes.
    ///
    /// - Parameters:
    ///   - now: The number of late answers of each node.
    ///   - before: The number of late answers of each node before the calls at the end were made.
    func counts(now: [Int], before: [Int]) -> [CallCounts] {
        titles.indices.flatMap { caller in
            let atEnd = CallCounts(
                title: "\(titles[caller]), at the end,",
                lateReplies: now[caller] - before[caller],
                // A connection may also break at the end.
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

    /// Returns the number of calls that a caller has given up. All calls pass through the coordinator.
    private func givenUp(_ caller: Int, where isMeant: (CallRecord) -> Bool) -> Int {
        let records = caller == 0 ? self.records.flatMap(\.self) : self.records[caller]
        return records.count { $0.end.mayBeAnsweredLate && isMeant($0) }
    }
}
