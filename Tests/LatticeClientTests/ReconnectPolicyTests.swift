import Testing

@testable import LatticeClient

struct ReconnectPolicyTests {
    @Test(
        arguments: [
            (0, 0, 50), (1, 0, 100), (2, 0, 200), (5, 0, 1600), (6, 0, 2000), (99, 0, 2000), (0, 29_990, 10),
            (99, 29_000, 1000), (0, 30_000, nil), (3, 99_999, nil),
        ] as [(Int, Int, Int?)]
    )
    func theWaitGrowsToItsLimit(attempt: Int, elapsed: Int, delay: Int?) {
        #expect(
            ReconnectPolicy().delay(attempt, elapsed: .milliseconds(elapsed)) == delay.map { .milliseconds($0) }
        )
    }

    @Test func neverIsNever() {
        #expect(ReconnectPolicy.never.delay(0, elapsed: .zero) == nil)
    }
}
