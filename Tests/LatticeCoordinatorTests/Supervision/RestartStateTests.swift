import LatticeCore
import Testing

@testable import LatticeCoordinator

struct RestartStateTests {
    private let start = ContinuousClock.now

    private func policy(_ change: (inout RestartPolicy) -> Void = { _ in }) -> RestartPolicy {
        var policy = RestartPolicy()
        policy.jitter = 0
        policy.stableTime = .seconds(60)
        policy.intensity = 100
        policy.bootIntensity = 100
        change(&policy)
        return policy
    }

    /// One life that served from `served` on.
    private func die(
        _ state: inout RestartState,
        after served: Duration = .zero,
        progress: Bool = false,
        at instant: ContinuousClock.Instant,
        _ cause: Interruption.Cause = .signal(9),
        chance: Double = 0.5
    ) -> RestartState.Decision {
        state.started()
        state.served(at: instant - served)
        if progress { state.progressed() }
        return state.ended(cause, at: instant, chance: chance)
    }

    // MARK: Backoff

    @Test(
        arguments: [
            (1, 100), (2, 200), (3, 400), (4, 800), (8, 12_800), (9, 25_600), (10, 30_000), (60, 30_000),
        ] as [(Int, Int)]
    )
    func theWaitDoublesUpToItsLimit(deaths: Int, milliseconds: Int) {
        var state = RestartState(policy: policy())
        for _ in 1..<deaths { _ = die(&state, at: start) }
        #expect(die(&state, at: start) == .restart(after: .milliseconds(milliseconds), attempt: deaths))
    }

    @Test(arguments: [(0, 80), (0.5, 100), (1, 120)] as [(Double, Int)])
    func jitterVariesTheWait(chance: Double, milliseconds: Int) {
        var state = RestartState(policy: policy { $0.jitter = 0.2 })
        guard case .restart(let delay, 1) = die(&state, at: start, chance: chance) else {
            Issue.record("no restart")
            return
        }
        #expect(abs(delay / .milliseconds(1) - Double(milliseconds)) < 0.001)
    }

    @Test func jitterDoesNotGoBeyondTheLongestWait() {
        var state = RestartState(policy: policy { $0.jitter = 0.5 })
        for _ in 1..<20 { _ = die(&state, at: start) }
        #expect(die(&state, at: start, chance: 1) == .restart(after: .seconds(30), attempt: 20))
    }

    @Test func aStableLifeIsFollowedAtOnce() {
        var state = RestartState(policy: policy { $0.stableTime = .seconds(1) })
        _ = die(&state, at: start)
        _ = die(&state, at: start)
        #expect(die(&state, after: .milliseconds(999), at: start) == .restart(after: .milliseconds(400), attempt: 3))
        #expect(die(&state, after: .seconds(1), at: start) == .restart(after: .zero, attempt: 1))
    }

    @Test("F72: a start for which there is no room counts against nobody, and is tried again for ever")
    func lackOfResourcesIsAClassOfItsOwn() {
        var state = RestartState(
            policy: policy {
                $0.bootIntensity = 0; $0.intensity = 1
            }
        )
        var delays: [Duration] = []
        for attempt in 1...100 {
            state.started()
            let (delay, number) = state.lacked(chance: 0.5)
            #expect(number == attempt)
            delays.append(delay)
        }
        #expect(
            delays.prefix(5) == [
                .milliseconds(100), .milliseconds(200), .milliseconds(400), .milliseconds(800), .seconds(1),
            ]
        )
        #expect(delays.dropFirst(5).allSatisfy { $0 == .seconds(1) })
        // The next death is the first one.
        #expect(die(&state, at: start) == .restart(after: .milliseconds(100), attempt: 1))
        #expect(state.lacked(chance: 0.5).attempt == 1)
    }

    // MARK: Budget

    @Test("F13: more deaths than the intensity are too many") func moreDeathsThanTheIntensityAreTooMany() {
        var state = RestartState(policy: policy { $0.intensity = 2 })
        _ = die(&state, at: start)
        _ = die(&state, at: start, .exit(code: 1))
        let reason =
            "the worker died 3 times within 10.0 seconds without progress, the last time: killed by signal 9 (SIGKILL)"
        let history = ["killed by signal 9 (SIGKILL)", "exited with code 1", "killed by signal 9 (SIGKILL)"]
        #expect(die(&state, at: start) == .giveUp(HostFailure(reason: reason, history: history)))
    }

    @Test func deathsOutsideThePeriodAreForgotten() {
        var state = RestartState(policy: policy { $0.intensity = 2 })
        _ = die(&state, at: start)
        _ = die(&state, at: start + .seconds(5))
        #expect(
            die(&state, at: start + .milliseconds(10_001)) == .restart(after: .milliseconds(200), attempt: 2)
        )
    }

    @Test("F14: progress renews the budget") func progressRenewsTheBudget() {
        var state = RestartState(policy: policy { $0.intensity = 1 })
        for _ in 0..<50 {
            #expect(
                die(&state, progress: true, at: start) == .restart(after: .milliseconds(100), attempt: 1)
            )
        }
        guard case .giveUp = die(&state, at: start) else {
            Issue.record("not given up")
            return
        }
    }

    @Test func progressOfALifeThatDoesNotServeIsNone() {
        var state = RestartState(policy: policy { $0.intensity = 1 })
        _ = die(&state, at: start)
        state.started()
        state.progressed()
        state.served(at: start)
        guard case .giveUp = state.ended(.hang, at: start, chance: 0) else {
            Issue.record("not given up")
            return
        }
    }

    @Test func progressDoesNotRenewTheBudgetForEver() {
        var state = RestartState(policy: policy { $0.shortLives = 3 })
        for _ in 0..<3 {
            #expect(die(&state, progress: true, at: start) == .restart(after: .milliseconds(100), attempt: 1))
        }
        let reason =
            "the worker died 4 times in a row before it had run for 60.0 seconds, the last time: killed by signal 9"
            + " (SIGKILL)"
        let history = [String](repeating: "killed by signal 9 (SIGKILL)", count: 4)
        #expect(die(&state, progress: true, at: start) == .giveUp(HostFailure(reason: reason, history: history)))
    }

    /// Lives of so many milliseconds, each with progress, and whether the last death is one too many.
    @Test(
        arguments: [
            ([0, 999, 0], false), ([0, 999, 0, 999], true), ([0, 0, 0, 1000], false), ([0, 0, 1000, 0, 0, 0], false),
            ([0, 0, 1000, 0, 0, 0, 0], true),
        ] as [([Int], Bool)]
    )
    func aStableLifeRenewsTheBudgetOfShortOnes(lives: [Int], isGivenUp: Bool) {
        var state = RestartState(
            policy: policy {
                $0.stableTime = .seconds(1)
                $0.shortLives = 3
            }
        )
        let decisions = lives.map { die(&state, after: .milliseconds($0), progress: true, at: start) }
        let givenUp = decisions.map { if case .giveUp = $0 { true } else { false } }
        #expect(givenUp == [Bool](repeating: false, count: lives.count - 1) + [isGivenUp])
    }

    @Test func theDefaultBearsAHundredDeathsInARow() {
        var state = RestartState(policy: RestartPolicy())
        for _ in 0..<100 {
            guard case .restart = die(&state, progress: true, at: start) else {
                Issue.record("given up")
                return
            }
        }
    }

    @Test("F5: booting has a budget of its own") func bootingHasABudgetOfItsOwn() {
        var state = RestartState(policy: policy { $0.bootIntensity = 2 })
        for attempt in 1...2 {
            state.started()
            #expect(
                state.ended(.exit(code: 3), at: start, chance: 0.5)
                    == .restart(after: .milliseconds(100 * attempt), attempt: attempt)
            )
        }
        state.started()
        let reason =
            "the worker ended 3 times before it said hello, the last time: exited with code 3; run its executable by"
            + " hand to see why"
        let history = [String](repeating: "exited with code 3", count: 3)
        #expect(
            state.ended(.exit(code: 3), at: start, chance: 0.5)
                == .giveUp(HostFailure(reason: reason, history: history))
        )
    }

    @Test func aServingLifeClearsTheBootBudget() {
        var state = RestartState(policy: policy { $0.bootIntensity = 1 })
        for _ in 0..<3 {
            state.started()
            #expect(state.ended(.hang, at: start, chance: 0.5) == .restart(after: .milliseconds(100), attempt: 1))
            _ = die(&state, after: .seconds(100), at: start)
        }
    }

    @Test func historyIsBounded() {
        var state = RestartState(policy: policy { $0.bootIntensity = 99 })
        for code in 0..<99 {
            state.started()
            _ = state.ended(.exit(code: Int32(code)), at: start, chance: 0.5)
        }
        state.started()
        guard case .giveUp(let failure) = state.ended(.hang, at: start, chance: 0.5) else {
            Issue.record("not given up")
            return
        }
        #expect(failure.history.count == 16)
        #expect(failure.history.first == "exited with code 84")
        #expect(failure.history.last == "stopped answering")
    }

    @Test func aResetForgetsEverything() {
        var state = RestartState(policy: policy { $0.intensity = 1 })
        _ = die(&state, at: start)
        _ = die(&state, at: start)
        state.reset()
        #expect(die(&state, at: start) == .restart(after: .milliseconds(100), attempt: 1))
    }

    // MARK: Kinds

    @Test(
        arguments: [
            (.permanent, .exit(code: 0), true), (.permanent, .signal(11), true), (.transient, .exit(code: 1), true),
            (.transient, .signal(15), true), (.temporary, .exit(code: 0), false), (.temporary, .hang, false),
        ] as [(RestartPolicy.Kind, Interruption.Cause, Bool)]
    )
    func theKindSaysWhichEndsAreFollowed(kind: RestartPolicy.Kind, cause: Interruption.Cause, restarts: Bool) {
        var state = RestartState(policy: policy { $0.kind = kind })
        let decision = die(&state, at: start, cause)
        if restarts {
            #expect(decision == .restart(after: .milliseconds(100), attempt: 1))
        } else {
            let failure = HostFailure(reason: "the worker ended: \(cause)", history: ["\(cause)"])
            #expect(decision == .giveUp(failure))
        }
    }

    @Test func aTransientWorkerMayLeave() {
        var state = RestartState(policy: policy { $0.kind = .transient })
        #expect(die(&state, at: start, .exit(code: 0)) == .stop)
    }
}
