import LatticeConcurrency
import Testing

struct SpinWaitTests {
    /// Looks out on every occasion that it takes, with these results, and gives the occasions that it let pass before
    /// each.
    private func pauses(_ results: [Bool]) -> [Int] {
        var spinWait = SpinWait()
        return results.map { wasWorthIt in
            var passed = 0
            while !spinWait.begins() { passed += 1 }
            spinWait.record(wasWorthIt: wasWorthIt)
            return passed
        }
    }

    @Test(
        .enabled(if: SpinWait.isPossible),
        arguments: [
            ([true, true, true], [0, 0, 0]),
            ([false, false, false, false], [0, 1, 2, 4]),
            ([false, true, false, false], [0, 1, 0, 1]),
            (Array(repeating: false, count: 8), [0, 1, 2, 4, 8, 16, 16, 16]),
        ]
    )
    func uselessSpinningBecomesRarer(results: [Bool], passed: [Int]) {
        #expect(pauses(results) == passed)
    }

    @Test func looksAtLeastOnce() {
        var looks = 0
        let isThere = SpinWait.look { _ in
            looks += 1
            return true
        }
        #expect(isThere)
        #expect(looks == 1)
    }

    @Test func looksNoLongerThanItsLimit() {
        let start = ContinuousClock.now
        #expect(!SpinWait.look { _ in false })
        #expect(start.duration(to: .now) >= SpinWait.limit)
    }
}
