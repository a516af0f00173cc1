import LatticeActors
import Testing

@testable import LatticeChaos

/// Each promise of calls that a round may break, and what is said then.
@Suite struct CallCheckerTests {
    /// The records of the calls of caller 1 in its lane 0, and the expected violations.
    struct Story: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var records: [CallRecord] = []
        var unknown: [ChaosCall] = []
        /// The numbers of the calls that have begun, by the actors.
        var begun: [[Int]] = []
        /// The numbers of calls that were confirmed to the caller and that it never made.
        var unexpectedlyConfirmed: [Int] = []
        var hasFaults = true
        var violations: [String] = []
    }

    static let stories =
        kept + brokenEnds + brokenDeliveries + brokenReasons + brokenAnswers + brokenOrders

    static let kept = [
        Story(testDescription: "nothing was called"),
        Story(
            testDescription: "all possible ends",
            records: [
                .ended(0, .answer, .returned(isRight: true)),
                .ended(1, .fail, .failed(isRight: true)),
                .ended(2, .failUnregistered, .unregistered),
                .ended(3, .callBack, .returned(isRight: true), confirmations: 1),
                .ended(4, .callBack, .unconfirmed("lost")),
                .ended(5, .wait, .cancelled, cancelling: .after(milliseconds: 1)),
                .ended(6, .wait, .lacksAnswer(.deadlinePassed, .mayHaveBegun), timeout: 1),
                .ended(7, .die, .lacksAnswer(.lost, .mayHaveBegun)),
                .ended(8, .spin, .lacksAnswer(.cancelled, .mayHaveBegun), cancelling: .after(milliseconds: 1)),
            ],
            begun: [[0, 1, 2, 3, 4, 5, 6], [7, 8]]
        ),
        Story(
            testDescription: "calls that have not begun",
            records: [
                .ended(0, .answer, .lacksAnswer(.lost, .notSent)),
                .ended(1, .answer, .lacksAnswer(.unknownProcess, .notSent)),
                .ended(2, .answer, .lacksAnswer(.lost, .mayHaveBegun)),
                .ended(3, .answer, .lacksAnswer(.deadlinePassed, .notSent), timeout: 0),
                .ended(4, .wait, .cancelled, cancelling: .before),
            ]
        ),
        Story(
            testDescription: "a killed caller has made some of its calls",
            unknown: [.call(0), .call(1), .call(2)],
            begun: [[0, 1]]
        ),
        Story(
            testDescription: "calls of a pool begin in any order, and calls of a lane in their own",
            records: [
                .ended(0, .answer, .returned(isRight: true)),
                .ended(1, .answer, .returned(isRight: true), isPooled: true),
                .ended(2, .answer, .returned(isRight: true)),
            ],
            begun: [[0, 2, 1]]
        ),
    ]

    static let brokenEnds = [
        Story(
            testDescription: "a call hangs",
            records: [.ended(0, .answer, .never)],
            violations: ["call 1.0.0 (answer) has not ended"]
        ),
        Story(
            testDescription: "an error that no method throws",
            records: [.ended(0, .answer, .other("the disk is full"))],
            violations: ["call 1.0.0 (answer) ended with the disk is full"]
        ),
        Story(
            testDescription: "ends that a method cannot have",
            records: [
                .ended(0, .wait, .returned(isRight: true)),
                .ended(1, .answer, .failed(isRight: true)),
                .ended(2, .fail, .unregistered),
                .ended(3, .answer, .unconfirmed("lost")),
                .ended(4, .die, .returned(isRight: true)),
            ],
            begun: [[0, 1, 2, 3, 4]],
            violations: [
                "call 1.0.0 (wait) returned, which is impossible",
                "call 1.0.1 (answer) threw, which is impossible",
                "call 1.0.2 (fail) threw, which is impossible",
                "call 1.0.3 (answer) was not called back: lost, which is impossible",
                "call 1.0.4 (die) returned, which is impossible",
            ]
        ),
    ]

    static let brokenDeliveries = [
        Story(
            testDescription: "not sent, but begun",
            records: [
                .ended(0, .answer, .lacksAnswer(.lost, .notSent)),
                .ended(1, .answer, .lacksAnswer(.deadlinePassed, .notSent), timeout: 1),
            ],
            begun: [[0, 1]],
            violations: [
                "call 1.0.0 (answer) ended with lost, notSent, and has begun",
                "call 1.0.1 (answer) ended with deadlinePassed, notSent, and has begun",
            ]
        ),
        Story(
            testDescription: "answered without having begun",
            records: [
                .ended(0, .answer, .returned(isRight: true)), .ended(1, .fail, .failed(isRight: true)),
                .ended(2, .failUnregistered, .unregistered), .ended(3, .callBack, .unconfirmed("lost")),
            ],
            violations: [
                "call 1.0.0 (answer) returned, and has not begun",
                "call 1.0.1 (fail) threw, and has not begun",
                "call 1.0.2 (failUnregistered) threw, and has not begun",
                "call 1.0.3 (callBack) was not called back: lost, and has not begun",
            ]
        ),
        Story(
            testDescription: "cancelled before it was made, and begun",
            records: [.ended(0, .answer, .cancelled, cancelling: .before)],
            begun: [[0]],
            violations: ["call 1.0.0 (answer) has begun, and was cancelled before it was made"]
        ),
        Story(
            testDescription: "begun twice at one actor, and at two",
            records: [
                .ended(0, .answer, .returned(isRight: true)),
                .ended(1, .answer, .lacksAnswer(.lost, .mayHaveBegun)),
            ],
            unknown: [.call(2)],
            begun: [[0, 0, 1], [1, 2], [2]],
            violations: [
                "call 1.0.0 has begun 2 times", "call 1.0.1 has begun 2 times", "call 1.0.2 has begun 2 times",
            ]
        ),
        Story(
            testDescription: "calls that were never made have begun and called back",
            records: [.ended(0, .answer, .returned(isRight: true))],
            begun: [[0, 7]],
            unexpectedlyConfirmed: [8],
            violations: [
                "call 1.0.7 has begun, and was never made", "call 1.0.8 was called back, and was never made",
            ]
        ),
    ]

    static let brokenReasons = [
        Story(
            testDescription: "cancelled or expired without a cancellation or a deadline",
            records: [
                .ended(0, .wait, .cancelled),
                .ended(1, .wait, .lacksAnswer(.cancelled, .mayHaveBegun)),
                .ended(2, .wait, .lacksAnswer(.deadlinePassed, .mayHaveBegun)),
                .ended(3, .wait, .lacksAnswer(.deadlinePassed, .mayHaveBegun), timeout: ChaosCall.longMilliseconds),
            ],
            begun: [[0, 1, 2, 3]],
            violations: [
                "call 1.0.0 (wait) was cancelled without a request",
                "call 1.0.1 (wait) ended with cancelled, mayHaveBegun, which was not expected",
                "call 1.0.2 (wait) ended with deadlinePassed, mayHaveBegun, which was not expected",
                "call 1.0.3 (wait) ended with deadlinePassed, mayHaveBegun, which was not expected",
            ]
        ),
        Story(
            testDescription: "lost without a fault",
            records: [
                .ended(0, .answer, .lacksAnswer(.lost, .mayHaveBegun)),
                .ended(1, .callBack, .unconfirmed("unknownProcess")),
            ],
            begun: [[0, 1]],
            hasFaults: false,
            violations: [
                "call 1.0.0 (answer) ended with lost, mayHaveBegun, which was not expected",
                "call 1.0.1 (callBack) was not called back: unknownProcess, which was not expected",
            ]
        ),
        Story(
            testDescription: "codes that this round cannot cause",
            records: [
                .ended(0, .answer, .lacksAnswer(.overloaded, .notSent)),
                .ended(1, .answer, .lacksAnswer(.unknownMethod, .notSent)),
                .ended(2, .answer, .lacksAnswer(.unknownActor, .notSent)),
            ],
            violations: [
                "call 1.0.0 (answer) ended with overloaded, notSent, which was not expected",
                "call 1.0.1 (answer) ended with unknownMethod, notSent, which was not expected",
                "call 1.0.2 (answer) ended with unknownActor, notSent, which was not expected",
            ]
        ),
    ]

    static let brokenAnswers = [
        Story(
            testDescription: "answers of other calls",
            records: [.ended(0, .answer, .returned(isRight: false)), .ended(1, .fail, .failed(isRight: false))],
            begun: [[0, 1]],
            violations: [
                "call 1.0.0 (answer) returned a wrong answer",
                "call 1.0.1 (fail) threw a wrong answer",
            ]
        ),
        Story(
            testDescription: "called back twice, not at all, and without a request",
            records: [
                .ended(0, .callBack, .returned(isRight: true), confirmations: 2),
                .ended(1, .callBack, .returned(isRight: true)),
                .ended(2, .answer, .returned(isRight: true), confirmations: 1),
            ],
            begun: [[0, 1, 2]],
            violations: [
                "call 1.0.0 (callBack) was called back 2 times",
                "call 1.0.1 (callBack) returned without having called back",
                "call 1.0.2 (answer) was called back without a request",
            ]
        ),
    ]

    static let brokenOrders = [
        Story(
            testDescription: "calls of a lane that begin out of order",
            records: (0..<4).map { .ended($0, .answer, .returned(isRight: true)) },
            begun: [[0, 2, 1, 3]],
            violations: ["call 1.0.1 has begun after 1.0.2"]
        ),
        Story(
            testDescription: "calls of a killed caller that begin out of order",
            unknown: [.call(0), .call(1)],
            begun: [[1, 0]],
            violations: ["call 1.0.0 has begun after 1.0.1"]
        ),
    ]

    @Test("The call checker says which guarantee was broken", arguments: stories)
    func violations(story: Story) {
        let checker = CallChecker(
            records: story.records,
            unknown: story.unknown,
            logs: story.begun.map { $0.map(ChaosCall.Identifier.one) },
            unexpectedlyConfirmed: story.unexpectedlyConfirmed.map(ChaosCall.Identifier.one),
            hasFaults: story.hasFaults
        )
        #expect(checker.violations() == story.violations)
    }

    @Test("Calls of two lanes, or of two callers, need no order between each other")
    func lanes() {
        let calls = [(1, 0, 5), (1, 1, 4), (2, 0, 3)].map { ChaosCall.Identifier(caller: $0, lane: $1, number: $2) }
        let checker = CallChecker(
            records: calls.map {
                let call = ChaosCall(
                    identifier: $0,
                    method: .answer,
                    isPooled: false,
                    cancelling: .never,
                    timeoutMilliseconds: nil
                )
                return CallRecord(call: call, end: .returned(isRight: true))
            },
            logs: [calls]
        )
        #expect(checker.violations().isEmpty)
    }
}

extension ChaosCall.Identifier {
    static func one(_ number: Int) -> ChaosCall.Identifier { .init(caller: 1, lane: 0, number: number) }
}

extension ChaosCall {
    static func call(
        _ number: Int,
        _ method: Method = .answer,
        isPooled: Bool = false,
        cancelling: Cancelling = .never,
        timeout: Int? = nil
    ) -> ChaosCall {
        ChaosCall(
            identifier: .one(number),
            method: method,
            isPooled: isPooled,
            cancelling: cancelling,
            timeoutMilliseconds: timeout
        )
    }
}

extension CallRecord {
    static func ended(
        _ number: Int,
        _ method: ChaosCall.Method,
        _ end: End,
        isPooled: Bool = false,
        cancelling: ChaosCall.Cancelling = .never,
        timeout: Int? = nil,
        confirmations: Int = 0
    ) -> CallRecord {
        CallRecord(
            call: .call(number, method, isPooled: isPooled, cancelling: cancelling, timeout: timeout),
            end: end,
            confirmations: confirmations
        )
    }
}
