import LatticeActors

/// What has to hold after a round of calls, whatever went wrong in it: a function of the calls, how they ended, and
/// which of them the actors have written down as begun.
struct CallChecker {
    /// Of the callers that were there until the end.
    let records: [CallRecord]
    /// Calls of those that were killed: nobody knows which of them were made, or how they ended.
    var unknown: [ChaosCall] = []
    /// What has begun, by the actors: each of one life of a worker.
    var logs: [[ChaosCall.Identifier]] = []
    /// Calls that a caller's actor was told of, and that the caller does not make.
    var strangelyConfirmed: [ChaosCall.Identifier] = []
    /// Whether anything was to happen to workers or connections.
    var hasFaults = true

    /// The promises that were broken, each in a sentence.
    func violations() -> [String] {
        let begun = Dictionary(logs.joined().map { ($0, 1) }, uniquingKeysWith: +)
        let doubles = begun.filter { $0.value > 1 }.map { "call \($0.key) has begun \($0.value) times" }.sorted()
        return records.flatMap { faults(of: $0, begun: begun[$0.call.identifier, default: 0]) }
            + doubles + strangers(in: begun) + disorder()
    }

    private func faults(of record: CallRecord, begun: Int) -> [String] {
        let end = CallEndChecker(record: record, begun: begun, hasFaults: hasFaults)
        return [end.fault, end.faultOfConfirmations].compactMap { fault in
            fault.map { "call \(record.call.identifier) (\(record.call.method.rawValue)) \($0)" }
        }
    }

    private func strangers(in begun: [ChaosCall.Identifier: Int]) -> [String] {
        let made = Set(records.map(\.call.identifier) + unknown.map(\.identifier))
        return begun.keys.filter { !made.contains($0) }.map { "call \($0) has begun, and was never made" }.sorted()
            + strangelyConfirmed.map { "call \($0) was called back, and was never made" }
    }

    /// Calls of one lane to one actor begin in their order, those of the pool aside, which may wait for room.
    private func disorder() -> [String] {
        let pooled = Set((records.map(\.call) + unknown).filter(\.isPooled).map(\.identifier))
        return logs.flatMap { log in
            var newest: [Lane: Int] = [:]
            return log.filter { !pooled.contains($0) }.compactMap { call -> String? in
                let lane = Lane(caller: call.caller, lane: call.lane)
                let before = newest[lane] ?? -1
                newest[lane] = max(before, call.number)
                return before > call.number
                    ? "call \(call) has begun behind \(call.caller).\(call.lane).\(before)" : nil
            }
        }
    }

    private struct Lane: Hashable {
        let caller: Int
        let lane: Int
    }
}
