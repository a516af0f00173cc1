import Testing

@testable import LatticeConcurrency

struct MonotonicDeadlineTests {
    @Test(
        "The remaining time is sent in whole milliseconds, and never rounded down",
        arguments: [
            (Duration.seconds(-1), 0...0), (.zero, 0...0), (.nanoseconds(1), 0...1), (.seconds(60), 59_000...60_000),
            (.milliseconds(60_000.5), 59_000...60_001), (.seconds(86_400 * 365), 31_535_999_000...31_536_000_000),
        ] as [(Duration, ClosedRange<UInt64>)]
    )
    func left(duration: Duration, milliseconds: ClosedRange<UInt64>) throws {
        let deadline = MonotonicDeadline(in: duration)
        #expect(milliseconds.contains(try #require(deadline.leftMilliseconds)))
        #expect(deadline.hasPassed == (duration <= .nanoseconds(1)))
        #expect(try #require(deadline.left) <= max(duration, .zero))
    }

    @Test(
        "A deadline beyond all time is no deadline",
        arguments: [
            MonotonicDeadline.never, MonotonicDeadline(leftMilliseconds: nil),
            MonotonicDeadline(leftMilliseconds: .max),
            MonotonicDeadline(in: .seconds(Int64.max)),
        ]
    )
    func never(deadline: MonotonicDeadline) {
        #expect(deadline == .never)
        #expect(deadline.left == nil)
        #expect(deadline.leftMilliseconds == nil)
        #expect(!deadline.hasPassed)
    }

    @Test("An instant of the system's clock is converted without a change")
    func moment() throws {
        let moment = ContinuousClock.now + .seconds(10)
        let left = try #require(MonotonicDeadline(moment).left)
        #expect(left <= .seconds(10))
        #expect(left >= ContinuousClock.now.duration(to: moment) - .milliseconds(1))
        #expect(MonotonicDeadline(moment).moment == moment)
        #expect(MonotonicDeadline(.now - .seconds(86_400 * 365 * 400)).hasPassed)
    }
}
