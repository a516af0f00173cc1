import LatticeCore
import Testing

@testable import LatticeChaos

/// Each promise that a round may break, and what is said then.
@Suite struct ChaosCheckerTests {
    /// The events of one log, and the expected violations. The other logs are empty.
    struct Story: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var applied = ["1.0", "2.0", "1.1", "1.1 f"]
        var sent: [(event: String, effect: ChaosAction.Effect, end: ChaosRecord.End)] = [
            ("1.0", .none, .finished), ("1.1", .followUp, .finished), ("2.0", .forever, .cancelled),
        ]
        var isCancelled = true
        /// The states that a participant was shown, by their events.
        var shown = [["1.0"], ["1.0", "2.0", "1.1"], ["1.0", "2.0", "1.1", "1.1 f"]]
        var killed: Set<Int> = []
        var violations: [String] = []
    }

    static let stories: [Story] = [
        Story(testDescription: "all is kept"),
        Story(
            testDescription: "nothing was sent",
            applied: [],
            sent: [],
            shown: []
        ),
        Story(
            testDescription: "an event was interrupted with its worker after its follow-up",
            sent: [("1.0", .exit, .interrupted), ("1.1", .followUp, .interrupted), ("2.0", .none, .cancelled)]
        ),
        Story(
            testDescription: "a rejected event left nothing behind",
            sent: [
                ("1.0", .none, .finished), ("1.1", .followUp, .finished), ("2.0", .none, .finished),
                ("1.2", .none, .overloaded), ("1.3", .forever, .cancelled),
            ]
        ),
        Story(
            testDescription: "an event that ends its worker was quarantined",
            sent: [
                ("1.0", .none, .finished), ("1.1", .followUp, .finished), ("2.0", .none, .finished),
                ("1.2", .poison, .quarantined), ("1.3", .sometimesPoison, .quarantined), ("1.4", .exit, .quarantined),
            ]
        ),
        Story(
            testDescription: "another event was quarantined, or a quarantined event was applied",
            sent: [
                ("1.0", .sometimesPoison, .quarantined), ("1.1", .followUp, .finished), ("2.0", .poison, .finished),
                ("1.2", .none, .quarantined),
            ],
            violations: [
                "the first feature: event 1.0 went to quarantine, and was applied",
                "the first feature: event 1.2 went to quarantine, but is harmless",
                "the first feature: event 2.0 finished, which is impossible",
            ]
        ),
        Story(
            testDescription: "an event of a killed client",
            applied: ["1.0", "3.7", "2.0", "1.1", "1.1 f"],
            shown: [["1.0", "3.7", "2.0", "1.1", "1.1 f"]],
            killed: [3]
        ),
        Story(
            testDescription: "an event that does not end",
            sent: [("1.0", .none, .never), ("1.1", .followUp, .finished), ("2.0", .forever, .cancelled)],
            violations: ["the first feature: event 1.0 has not ended"]
        ),
        Story(
            testDescription: "an event is lost",
            sent: [
                ("1.0", .none, .finished), ("1.1", .followUp, .finished), ("2.0", .none, .finished),
                ("2.1", .none, .finished), ("2.2", .none, .interrupted),
            ],
            violations: [
                "the first feature: event 2.1 finished, and is lost",
                "the first feature: event 2.2 was interrupted, and is lost",
            ]
        ),
        Story(
            testDescription: "a follow-up is lost",
            applied: ["1.0", "2.0", "1.1"],
            shown: [["1.0", "2.0", "1.1"]],
            violations: ["the first feature: event 1.1 finished, and its follow-up is lost"]
        ),
        Story(
            testDescription: "an effect must be restarted, and is or is not",
            sent: [
                ("1.0", .recovered, .interrupted), ("1.1", .recovered, .interrupted), ("2.0", .recovered, .finished),
            ],
            isCancelled: false,
            violations: [
                "the first feature: event 1.0 was interrupted, and its effect was not started again",
                "the first feature: event 2.0 finished, and its follow-up is lost",
            ]
        ),
        Story(
            testDescription: "an event was applied twice",
            applied: ["1.0", "2.0", "2.0", "1.1", "1.1 f"],
            shown: [["1.0", "2.0", "2.0", "1.1", "1.1 f"]],
            violations: ["the first feature: event 2.0 was applied 2 times"]
        ),
        Story(
            testDescription: "a follow-up was applied twice",
            applied: ["1.0", "2.0", "1.1", "1.1 f", "1.1 f"],
            shown: [["1.0", "2.0", "1.1", "1.1 f", "1.1 f"]],
            violations: ["the first feature: event 1.1 (follow-up) was applied 2 times"]
        ),
        Story(
            testDescription: "events that were never sent",
            applied: ["1.0", "1.0 f", "2.0", "1.1", "1.1 f", "3.0"],
            shown: [["1.0", "1.0 f", "2.0", "1.1", "1.1 f", "3.0"]],
            violations: [
                "the first feature: event 1.0 (follow-up) was applied, and nothing sends it",
                "the first feature: event 3.0 was applied, and never sent",
            ]
        ),
        Story(
            testDescription: "events of one sender are out of order",
            applied: ["1.1", "2.0", "1.0", "1.1 f"],
            shown: [["1.1", "2.0", "1.0", "1.1 f"]],
            violations: ["the first feature: event 1.0 was applied after 1.1"]
        ),
        Story(
            testDescription: "a follow-up came before its event",
            applied: ["1.0", "2.0", "1.1 f", "1.1"],
            shown: [["1.0", "2.0", "1.1 f", "1.1"]],
            violations: ["the first feature: event 1.1 (follow-up) was applied before what sends it"]
        ),
        Story(
            testDescription: "ends that do not fit",
            sent: [
                ("1.0", .none, .overloaded), ("1.1", .followUp, .other("failed: the disk is full")),
                ("2.0", .forever, .finished),
            ],
            violations: [
                "the first feature: event 1.0 was rejected, and applied",
                "the first feature: event 1.1 ended failed: the disk is full",
                "the first feature: event 2.0 finished, which is impossible",
            ]
        ),
        Story(
            testDescription: "an event was cancelled without a request",
            isCancelled: false,
            violations: ["the first feature: event 2.0 was cancelled without a request"]
        ),
        Story(
            testDescription: "a state went back to an earlier one",
            shown: [["1.0", "2.0"], ["1.0"], ["1.0", "2.0", "1.1", "1.1 f"]],
            violations: ["the first feature: participant 0 was shown 1 event after 2"]
        ),
        Story(
            testDescription: "a state that never existed",
            shown: [["1.0", "1.1"], ["1.0", "2.0", "1.1", "1.1 f"]],
            violations: ["the first feature: participant 0 was shown 2 events that are not the first 2"]
        ),
        Story(
            testDescription: "a state with events that were never applied",
            shown: [["1.0", "2.0", "1.1", "1.1 f", "9.9"]],
            violations: ["the first feature: participant 0 was shown 5 events that are not the first 5"]
        ),
        Story(
            testDescription: "the last state was never shown",
            shown: [["1.0", "2.0"]],
            violations: ["the first feature: participant 0 was shown 2 of 4 events"]
        ),
    ]

    @Test("The chaos checker says which guarantee was broken", arguments: stories)
    func brokenPromises(story: Story) throws {
        let events = try story.applied.map(event)
        let record = ChaosRecord(
            participant: 0,
            sent: try story.sent.map { sent in
                ChaosRecord.Sent(
                    log: .first,
                    event: try event(sent.event).identifier,
                    effect: sent.effect,
                    wasCancelled: story.isCancelled,
                    end: sent.end
                )
            },
            shown: [try story.shown.map { try digest($0) }, [], []],
            last: [ChaosDigest(all: events), ChaosDigest(), ChaosDigest()]
        )
        let checker = ChaosChecker(records: [record], killed: story.killed, logs: [events, [], []])
        #expect(checker.violations().sorted() == story.violations)
    }

    @Test("A state with a gap in its positions is reported with the log that it belongs to")
    func gap() {
        let gap: StateDictionary = [1: ChaosEvent(sender: 1, number: 0)]
        let record = ChaosRecord(participant: 4, sent: [], shown: [[], [], [ChaosDigest(gap)]], last: Self.nothing)
        let checker = ChaosChecker(records: [record], killed: [], logs: [[], [], []])
        #expect(checker.violations() == ["the spared feature: participant 4 was shown a state with gaps"])
    }

    private static let nothing = [ChaosDigest(), ChaosDigest(), ChaosDigest()]

    @Test("The checker says why it stopped waiting for an event, and a late event breaks no guarantee")
    func verdicts() {
        func sent(_ number: Int, _ end: ChaosRecord.End, wasLate: Bool) -> ChaosRecord.Sent {
            let event = ChaosEvent(sender: 4, number: number)
            let text = ChaosDigest(text: "")
            return .init(
                log: .first,
                event: event.identifier,
                text: text,
                effect: .none,
                wasCancelled: false,
                end: end,
                wasLate: wasLate
            )
        }
        var record = ChaosRecord(
            participant: 4,
            sent: [sent(0, .overloaded, wasLate: true)],
            shown: [[], [], []],
            last: Self.nothing
        )
        #expect(ChaosChecker(records: [record], killed: [], logs: [[], [], []]).violations().isEmpty)
        record = ChaosRecord(
            participant: 4,
            sent: [sent(0, .never, wasLate: false)],
            shown: [[], [], []],
            last: Self.nothing,
            verdict: .stalled(.seconds(57))
        )
        #expect(
            ChaosChecker(records: [record], killed: [], logs: [[], [], []]).violations() == [
                "participant 4 stopped waiting: there was no progress for 57.0 seconds",
                "the first feature: event 4.0 has not ended",
            ]
        )
    }

    @Test("The text of an event is applied and shown, and is the same for all participants")
    func texts() throws {
        var sent = ChaosEvent(sender: 1, number: 0)
        sent.fill(letters: 100)
        var applied = sent
        applied.text = String(sent.text.reversed())
        let record = ChaosRecord(
            participant: 1,
            sent: [
                .init(
                    log: .first,
                    event: sent.identifier,
                    text: ChaosDigest(text: sent.text),
                    effect: .none,
                    wasCancelled: false,
                    end: .finished
                )
            ],
            shown: [[ChaosDigest([0: sent])], [], []],
            last: [ChaosDigest(all: [sent]), ChaosDigest(), ChaosDigest()]
        )
        #expect(ChaosChecker(records: [record], killed: [], logs: [[sent], [], []]).violations().isEmpty)
        let changed = ChaosChecker(records: [record], killed: [], logs: [[applied], [], []])
        #expect(
            changed.violations() == [
                "the first feature: event 1.0 was applied with another text than it was sent with",
                "the first feature: participant 1 does not see the final state",
            ]
        )
    }

    @Test("An event of the spared feature must not be interrupted")
    func spared() {
        let event = ChaosEvent(sender: 1, number: 0)
        let sent = ChaosRecord.Sent(
            log: .second,
            event: event.identifier,
            text: ChaosDigest(text: ""),
            effect: .followUp,
            wasCancelled: false,
            end: .interrupted
        )
        let record = ChaosRecord(
            participant: 1,
            sent: [sent],
            shown: [[], [], [ChaosDigest([0: event])]],
            last: [ChaosDigest(), ChaosDigest(), ChaosDigest(all: [event])]
        )
        let checker = ChaosChecker(records: [record], killed: [], logs: [[], [], [event]])
        #expect(
            checker.violations() == [
                "the spared feature: event 1.0 was interrupted, although its worker has no faults"
            ]
        )
    }

    @Test("An event must not finish before its sender is shown a state that contains it")
    func unseen() {
        let event = ChaosEvent(sender: 1, number: 0)
        let sent = ChaosRecord.Sent(
            log: .first,
            event: event.identifier,
            text: ChaosDigest(text: ""),
            effect: .none,
            wasCancelled: false,
            end: .finished,
            wasUnseen: true
        )
        let digest = ChaosDigest([0: event])
        let record = ChaosRecord(
            participant: 1,
            sent: [sent],
            shown: [[digest], [], []],
            last: [ChaosDigest(all: [event]), ChaosDigest(), ChaosDigest()]
        )
        let checker = ChaosChecker(records: [record], killed: [], logs: [[event], [], []])
        #expect(checker.violations() == ["the first feature: event 1.0 finished before its sender was shown it"])
    }

    /// "1.0": event 0 of participant 1; "1.0 f": its follow-up.
    private func event(_ name: String) throws -> ChaosEvent {
        let numbers = name.split(whereSeparator: { ". ".contains($0) })
        let event = ChaosEvent(sender: try #require(Int(numbers[0])), number: try #require(Int(numbers[1])))
        return numbers.count > 2 ? event.followUp : event
    }

    private func digest(_ names: [String]) throws -> ChaosDigest {
        var digest = ChaosDigest()
        for name in names { digest.add(try event(name)) }
        return digest
    }
}
