import Testing

@testable import LatticeJobs

/// Requests as an object, so that an expectation can change them.
private final class TestRequests {
    var requests = EarlyRequests()

    func take(_ number: UInt64) -> Bool { requests.take(number) }
}

struct EarlyRequestsTests {
    @Test("A request that arrives before its attempt is found once")
    func early() {
        let test = TestRequests()
        #expect(!test.take(7))
        for _ in 1...2 { test.requests.add(7) }
        #expect(test.requests.count == 1 && test.take(7) && !test.take(7))
    }

    @Test("Requests that arrive after their attempts have ended push out no early one")
    func late() {
        let test = TestRequests()
        test.requests.add(5000)
        for number in 1...1000 as ClosedRange<UInt64> {
            test.requests.end(number)
            // Not only the one that has just ended.
            for late in number.advanced(by: -min(Int(number) - 1, 60))...number { test.requests.add(late) }
        }
        #expect(test.requests.count == 1 && test.take(5000))
    }

    @Test("The number of early requests is limited, and the oldest is forgotten")
    func limit() {
        let test = TestRequests()
        for number in 0...UInt64(EarlyRequests.maximum) { test.requests.add(number) }
        #expect(test.requests.count == EarlyRequests.maximum)
        #expect(!test.take(0) && test.take(1) && test.take(UInt64(EarlyRequests.maximum)))
    }
}
