import LatticeActors

/// Checks the guarantees after a round of calls. The result only depends on the calls, on how they ended, and on the
/// calls that the actors have logged as begun.
struct CallChecker {
    /// The records of the callers that lived until the end.
    let records: [CallRecord]
    /// The calls of the killed callers. It is unknown which of them were made, and how they ended.
    var unknown: [ChaosCall] = []
    /// The logs of the actors with the calls that have begun. Each log belongs to one incarnation of a worker.
    var logs: [[ChaosCall.Identifier]] = []
    /// The calls that were confirmed to a caller that did not make them.
    var unexpectedlyConfirmed: [ChaosCall.Identifier] = []
    /// A Boolean value that indicates whether faults of workers or connections were planned.
    var hasFaults = true

    /// Returns the broken guarantees, each in a sentence.
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
            + unexpectedlyConfirmed.map { "call \($0) was called back, and was never made" }
    }

    /// Checks that the calls of one lane to one actor have begun in order. Calls of the pool are left out, because they
    /// may wait for room.
    private func disorder() -> [String] {
        let pooled = Set((records.map(\.call) + unknown).filter(\.isPooled).map(\.identifier))
        return logs.flatMap { log in
            var newest: [Lane: Int] = [:]
            return log.filter { !pooled.contains($0) }.compactMap { call -> String? in
                let lane = Lane(caller: call.caller, lane: call.lane)
                let before = newest[lane] ?? -1
                newest[lane] = max(before, call.number)
                return before > call.number
                    ? "call \(call) has begun after \(call.caller).\(call.lane).\(before)" : nil
            }
        }
    }

    private struct Lane: Hashable {
        let caller: Int
        let lane: Int
    }
}
