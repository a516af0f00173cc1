/// Checks the guarantees after a round. The result only depends on the events that were sent, on their outcomes, on the
/// shown states, and on the state at the end.
struct ChaosChecker {
    /// The records of the participants that lived until the end.
    let records: [ChaosRecord]
    /// The killed participants. It is unknown which events they have sent.
    let killed: Set<Int>
    /// The events at the end of the round, by log.
    let logs: [[ChaosEvent]]

    /// Returns the broken guarantees, each in a sentence.
    func violations() -> [String] {
        let verdicts = records.compactMap { record in
            record.verdict.map { "participant \(record.participant) stopped waiting: \($0)" }
        }
        return verdicts
            + ChaosLog.allCases.flatMap { log in
                LogChecker(log: log, records: records, killed: killed, events: logs[log.rawValue]).violations()
            }
    }
}

/// Checks one log.
private struct LogChecker {
    let log: ChaosLog
    let records: [ChaosRecord]
    let killed: Set<Int>
    let events: [ChaosEvent]
    /// The hashes of the first events: at index *n*, the hash of *n* events.
    private let digests: [ChaosDigest]

    init(log: ChaosLog, records: [ChaosRecord], killed: Set<Int>, events: [ChaosEvent]) {
        self.log = log
        self.records = records
        self.killed = killed
        self.events = events
        digests = events.reduce(into: [ChaosDigest()]) { digests, event in
            var digest = digests[digests.count - 1]
            digest.add(event)
            digests.append(digest)
        }
    }

    func violations() -> [String] {
        let counts = Dictionary(events.map { ($0.identifier, 1) }, uniquingKeysWith: +)
        let sent = records.flatMap(\.sent).filter { $0.log == log }
        let faults = sent.compactMap { fault(of: $0, counts) } + doubles(in: counts) + strangers(in: counts, sent)
        let shown = records.compactMap(faultOfShown) + records.compactMap(faultOfLast)
        return (faults + disorder() + changedTexts(sent) + shown).map { "\(log): \($0)" }
    }

    private func doubles(in counts: [ChaosEvent.Identifier: Int]) -> [String] {
        counts.filter { $0.value > 1 }.map { "event \($0.key) was applied \($0.value) times" }
    }

    private func fault(of sent: ChaosRecord.Sent, _ counts: [ChaosEvent.Identifier: Int]) -> String? {
        let isApplied = counts[sent.event] != nil
        var followUp = sent.event
        followUp.isFollowUp = true
        switch sent.end {
        case .never: return "event \(sent.event) has not ended"
        case .finished:
            if sent.wasUnseen { return "event \(sent.event) finished before its sender was shown it" }
            if !isApplied { return "event \(sent.event) finished, and is lost" }
            if [.followUp, .recovered].contains(sent.effect), counts[followUp] == nil {
                return "event \(sent.event) finished, and its follow-up is lost"
            }
            let cannotFinish = [.forever, .exit, .poison].contains(sent.effect)
            return cannotFinish ? "event \(sent.event) finished, which is impossible" : nil
        case .cancelled: return sent.wasCancelled ? nil : "event \(sent.event) was cancelled without a request"
        // This includes an event without an effect: its state has arrived, but its completion has not.
        case .interrupted:
            if log.isSpared { return "event \(sent.event) was interrupted, although its worker has no faults" }
            // A cancelled event may have ended before its worker did.
            if sent.effect == .recovered, !sent.wasCancelled, counts[followUp] == nil {
                return "event \(sent.event) was interrupted, and its effect was not started again"
            }
            return isApplied ? nil : "event \(sent.event) was interrupted, and is lost"
        case .quarantined:
            if isApplied { return "event \(sent.event) went to quarantine, and was applied" }
            // An effect may end the worker before the message about its turn has been sent.
            return [.poison, .sometimesPoison, .exit].contains(sent.effect)
                ? nil : "event \(sent.event) went to quarantine, but is harmless"
        case .overloaded: return isApplied ? "event \(sent.event) was rejected, and applied" : nil
        case .other(let end): return "event \(sent.event) ended \(end)"
        }
    }

    private func strangers(in counts: [ChaosEvent.Identifier: Int], _ sent: [ChaosRecord.Sent]) -> [String] {
        let effects = Dictionary(sent.map { ($0.event, $0.effect) }) { first, _ in first }
        return counts.keys.filter { !killed.contains($0.sender) }.compactMap { event in
            var origin = event
            origin.isFollowUp = false
            guard let effect = effects[origin] else { return "event \(event) was applied, and never sent" }
            return event.isFollowUp && ![.followUp, .recovered].contains(effect)
                ? "event \(event) was applied, and nothing sends it" : nil
        }
    }

    /// Checks that the events of one sender were applied in order, and each follow-up after its event.
    private func disorder() -> [String] {
        var newest: [Int: Int] = [:]
        return events.map(\.identifier).compactMap { event in
            let before = newest[event.sender] ?? -1
            guard !event.isFollowUp else {
                return before < event.number ? "event \(event) was applied before what sends it" : nil
            }
            newest[event.sender] = max(before, event.number)
            return before > event.number ? "event \(event) was applied after \(event.sender).\(before)" : nil
        }
    }

    /// Checks that events were applied with their texts unchanged.
    private func changedTexts(_ sent: [ChaosRecord.Sent]) -> [String] {
        let texts = Dictionary(sent.map { ($0.event, $0.text) }) { first, _ in first }
        return events.compactMap { event in
            guard let text = texts[event.identifier], text != ChaosDigest(text: event.text) else { return nil }
            return "event \(event.identifier) was applied with another text than it was sent with"
        }
    }

    /// Checks that a participant sees the final state, including all texts.
    private func faultOfLast(to record: ChaosRecord) -> String? {
        let isSame = record.last[log.rawValue] == ChaosDigest(all: events)
        return isSame ? nil : "participant \(record.participant) does not see the final state"
    }

    /// Checks that each shown state has existed and is not older than the previous one, and that the last one is the
    /// final state.
    private func faultOfShown(to record: ChaosRecord) -> String? {
        let name = "participant \(record.participant)"
        var count = 0
        for state in record.shown[log.rawValue] {
            guard let state else { return "\(name) was shown a state with gaps" }
            guard state.count >= count else {
                return "\(name) was shown \(state.count) \(state.count == 1 ? "event" : "events") after \(count)"
            }
            count = state.count
            guard digests.indices.contains(count), digests[count] == state else {
                return "\(name) was shown \(count) events that are not the first \(count)"
            }
        }
        return count < events.count ? "\(name) was shown \(count) of \(events.count) events" : nil
    }
}
