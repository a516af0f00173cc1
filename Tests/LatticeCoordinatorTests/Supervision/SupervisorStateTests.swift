import LatticeCore
import LatticeSession
import Testing

@testable import LatticeCoordinator

struct SupervisorStateTests {
    typealias Next = SupervisorState.Next

    private let start = ContinuousClock.now

    private func policy(_ change: (inout RestartPolicy) -> Void = { _ in }) -> RestartPolicy {
        var policy = RestartPolicy()
        policy.jitter = 0
        policy.stableTime = .seconds(60)
        policy.intensity.restarts = 100
        policy.maximumFailedStarts = 100
        policy.probeDelay = nil
        change(&policy)
        return policy
    }

    /// Runs one incarnation that serves for a time and then dies, and returns the supervisor's answer.
    private func die(
        _ state: inout SupervisorState,
        after served: Duration = .zero,
        progress: Bool = false,
        excuse: RestartBudget.Excuse = .none,
        at instant: ContinuousClock.Instant,
        _ cause: Interruption.Cause = .signal(9),
        chance: Double = 0.5
    ) -> Next? {
        _ = state.start()
        _ = state.served(at: instant - served)
        if progress { state.progressed() }
        return state.ended(cause, excuse: excuse, at: instant, chance: chance)?.next
    }

    /// Runs one start that ends before the worker's hello, and returns the supervisor's answer.
    private func failToBoot(_ state: inout SupervisorState, _ cause: Interruption.Cause) -> Next? {
        _ = state.start()
        return state.ended(cause, at: start, chance: 0.5)?.next
    }

    private func restart(
        _ attempt: Int,
        after milliseconds: Int,
        _ cause: Interruption.Cause = .signal(9)
    ) -> Next {
        .restart(.init(attempt: attempt, delay: .milliseconds(milliseconds), cause: cause))
    }

    private func giveUp(
        _ reason: String,
        _ history: [String],
        _ cause: Interruption.Cause = .signal(9),
        result: ServiceResult? = .startLimitHit,
        probe: Duration? = nil
    ) -> Next {
        let failure = HostFailure(reason: reason, history: history, result: result)
        return .giveUp(failure, after: cause, isError: true, probe: probe)
    }

    private func isGivenUp(_ state: SupervisorState) -> Bool {
        if case .givenUp = state.phase { true } else { false }
    }

    // MARK: Quarantine

    @Test("Deaths by an event that goes to quarantine do not count, each once")
    func forgivenDeaths() {
        var state = SupervisorState(
            policy: policy { $0.intensity.restarts = 3 }
        )
        // In incarnation 1 two events were in flight. The first was alone in 2 and 3, and the other in 4 and 5.
        for (incarnation, blamed) in [(1, []), (2, []), (3, [1, 2, 3]), (4, []), (5, [1, 4, 5])] as [(Int, [UInt64])] {
            _ = state.start()
            _ = state.served(at: start)
            let excuse: RestartBudget.Excuse = blamed.isEmpty ? .none : .quarantined(incarnations: blamed)
            let end = state.ended(.signal(6), excuse: excuse, at: start, chance: 0.5)
            let attempts = [1: 1, 2: 2, 3: 1, 4: 1, 5: 1]
            let delays = [1: 100, 2: 200, 3: 100, 4: 100, 5: 100]
            #expect(
                end?.next == restart(attempts[incarnation] ?? 0, after: delays[incarnation] ?? 0, .signal(6)),
                "incarnation \(incarnation)"
            )
        }
        for _ in 1...3 { _ = die(&state, at: start) }
        #expect(!isGivenUp(state))
        _ = die(&state, at: start)
        #expect(isGivenUp(state))
    }

    @Test("If each event ends the worker, the worker counts as broken")
    func everyEventIsPoison() {
        var state = SupervisorState(policy: policy { $0.intensity.restarts = 2 })
        var incarnations: UInt64 = 0
        while !isGivenUp(state), incarnations < 100 {
            _ = state.start()
            _ = state.served(at: start)
            incarnations += 1
            let excuse: RestartBudget.Excuse =
                incarnations.isMultiple(of: 2) ? .quarantined(incarnations: [incarnations - 1, incarnations]) : .none
            _ = state.ended(.signal(6), excuse: excuse, at: start, chance: 0.5)
        }
        // Two events are forgiven; of the deaths by the next ones two are taken.
        #expect(incarnations == 7)
    }

    @Test("A worker that makes progress does not count as broken")
    func progressBetweenPoison() {
        var state = SupervisorState(policy: policy { $0.intensity.restarts = 2 })
        for incarnation in 1...100 as ClosedRange<UInt64> {
            _ = state.start()
            _ = state.served(at: start)
            if incarnation.isMultiple(of: 4) { state.progressed() }
            let excuse: RestartBudget.Excuse =
                incarnation.isMultiple(of: 2) ? .quarantined(incarnations: [incarnation - 1, incarnation]) : .none
            _ = state.ended(.signal(6), excuse: excuse, at: start, chance: 0.5)
        }
        #expect(!isGivenUp(state))
    }

    @Test("A missed heartbeat makes a death a hang, and without an incarnation there is no death")
    func deaths() {
        var state = SupervisorState(policy: policy())
        #expect(state.death(.signal(9)) == nil)
        _ = state.start()
        #expect(state.death(.exit(code: 1)) == Interruption(cause: .exit(code: 1), incarnation: 1))
        _ = state.served(at: start)
        state.sessionEnded(.silent)
        #expect(state.death(.signal(9)) == Interruption(cause: .hang, incarnation: 1))
        _ = state.ended(.signal(9), at: start, chance: 0.5)
        #expect(state.death(.signal(9)) == nil)
    }

    // MARK: Backoff

    @Test(
        arguments: [
            (1, 100), (2, 200), (3, 400), (4, 800), (8, 12_800), (9, 25_600), (10, 30_000), (60, 30_000),
        ] as [(Int, Int)]
    )
    func theWaitDoublesUpToItsLimit(deaths: Int, milliseconds: Int) {
        var state = SupervisorState(policy: policy())
        for _ in 1..<deaths { _ = die(&state, at: start) }
        #expect(die(&state, at: start) == restart(deaths, after: milliseconds))
    }

    @Test(arguments: [(0, 80), (0.5, 100), (1, 120)] as [(Double, Int)])
    func jitterVariesTheWait(chance: Double, milliseconds: Int) {
        var state = SupervisorState(policy: policy { $0.jitter = 0.2 })
        guard case .restart(let restart) = die(&state, at: start, chance: chance) else {
            Issue.record("no restart")
            return
        }
        #expect(restart.attempt == 1)
        #expect(abs(restart.delay / .milliseconds(1) - Double(milliseconds)) < 0.001)
    }

    @Test func jitterDoesNotGoBeyondTheLongestWait() {
        var state = SupervisorState(policy: policy { $0.jitter = 0.5 })
        for _ in 1..<20 { _ = die(&state, at: start) }
        #expect(die(&state, at: start, chance: 1) == restart(20, after: 30_000))
    }

    @Test func aStableIncarnationIsFollowedAtOnce() {
        var state = SupervisorState(policy: policy { $0.stableTime = .seconds(1) })
        _ = die(&state, at: start)
        _ = die(&state, at: start)
        #expect(die(&state, after: .milliseconds(999), at: start) == restart(3, after: 400))
        #expect(die(&state, after: .seconds(1), at: start) == restart(1, after: 0))
    }

    @Test("A start without resources counts against no budget, and is retried for ever (F72)")
    func lackOfResourcesIsAClassOfItsOwn() {
        var state = SupervisorState(
            policy: policy {
                $0.maximumFailedStarts = 0; $0.intensity.restarts = 1
            }
        )
        var delays: [Duration] = []
        for attempt in 1...100 {
            // A failed start is no incarnation.
            let incarnation = state.start()
            #expect(incarnation == 1)
            guard let restart = state.lacked("none left", chance: 0.5) else {
                Issue.record("not tried again")
                return
            }
            #expect(restart.attempt == attempt)
            #expect(restart.cause == .lackOfResources("none left"))
            delays.append(restart.delay)
        }
        #expect(
            delays.prefix(5) == [
                .milliseconds(100), .milliseconds(200), .milliseconds(400), .milliseconds(800), .seconds(1),
            ]
        )
        #expect(delays.dropFirst(5).allSatisfy { $0 == .seconds(1) })
        // The next death is the first one.
        #expect(die(&state, at: start) == restart(1, after: 100))
        _ = state.start()
        let restart = state.lacked("none left", chance: 0.5)
        #expect(restart?.attempt == 1)
    }

    // MARK: Budget

    @Test("A worker that exceeds its restart intensity is given up (F13)") func moreDeathsThanTheIntensityAreTooMany() {
        var state = SupervisorState(policy: policy { $0.intensity.restarts = 2 })
        _ = die(&state, at: start)
        _ = die(&state, at: start, .exit(code: 1))
        let reason =
            "the worker ended 3 times within 10.0 seconds, the last time: killed by signal 9 (SIGKILL)"
        let killed = "signal: killed by signal 9 (SIGKILL)"
        let history = [killed, "exit-code: exited with code 1", killed]
        #expect(die(&state, at: start) == giveUp(reason, history))
    }

    @Test func deathsOutsideThePeriodAreForgotten() {
        var state = SupervisorState(policy: policy { $0.intensity.restarts = 2 })
        _ = die(&state, at: start)
        _ = die(&state, at: start + .seconds(5))
        // The delay continues to grow.
        #expect(die(&state, at: start + .milliseconds(10_001)) == restart(3, after: 400))
    }

    @Test("Incarnations of 1.1 s are followed after the same delays as shorter ones, and exhaust the budget")
    func shortIncarnations() {
        var state = SupervisorState(
            policy: policy {
                $0.intensity.restarts = 5; $0.stableTime = .seconds(10)
            }
        )
        var now = start
        var delays: [Int] = []
        while !isGivenUp(state), delays.count < 100 {
            now += .milliseconds(1100)
            guard case .restart(let restart) = die(&state, after: .milliseconds(1100), progress: true, at: now) else {
                break
            }
            delays.append(Int(restart.delay / .milliseconds(1)))
            now += restart.delay
        }
        #expect(delays == [100, 200, 400, 800, 1600])
        #expect(isGivenUp(state))
    }

    @Test("A worker is ended once for a turn over the limit, and that limit is the cause, whatever its session says")
    func overran() {
        var state = SupervisorState(policy: policy())
        let isTooEarly = state.overran()
        #expect(!isTooEarly)
        _ = state.start()
        state.launched(processID: 5)
        #expect(state.serving == nil)
        _ = state.served(at: start)
        #expect(state.serving == HostStatus.Serving(incarnation: 1, processID: 5))
        let isNew = [state.overran(), state.overran()]
        #expect(isNew == [true, false])
        #expect(state.serving == nil)
        state.sessionEnded(.silent)
        #expect(state.death(.signal(9)) == Interruption(cause: .limit("turn"), incarnation: 1))
        // A worker that did not answer a call in time has a separate cause.
        var hanging = SupervisorState(policy: policy())
        _ = hanging.start()
        _ = hanging.served(at: start)
        let isFound = hanging.overran(.call)
        #expect(isFound && hanging.death(.signal(9)) == Interruption(cause: .limit("call"), incarnation: 1))
        #expect(Blame(.call, in: nil) == .nobody && Blame(.memory, in: nil) == .anything)
        // One whose session is over is on its way out.
        var other = SupervisorState(policy: policy())
        _ = other.start()
        _ = other.served(at: start)
        other.sessionEnded(.ended)
        let isEnded = other.overran()
        #expect(!isEnded && other.serving == nil)
    }

    @Test(
        "A crash is the cause of an end, although something else ended the worker during the crash report",
        arguments: [
            (.signal(9), .open, .signal(11)), (.signal(15), .ended, .signal(11)), (.signal(9), .silent, .signal(11)),
            (.disconnected, .open, .signal(11)), (.limit("memory"), .open, .signal(11)),
            // The note outlives the status.
            (.statusLost("taken"), .open, .signal(11)),
            // A killed process notes nothing: the crash came before it took too long.
            (.signal(9), .overran(.call), .signal(11)), (.signal(9), .overran(.turn), .signal(11)),
            // The exit status shows what the process did in the end.
            (.exit(code: 3), .open, .exit(code: 3)), (.exit(code: 0), .ended, .exit(code: 0)),
            (.signal(6), .open, .signal(6)),
        ] as [(Interruption.Cause, SupervisorState.SessionPhase, Interruption.Cause)]
    )
    func crashes(cause: Interruption.Cause, session: SupervisorState.SessionPhase, expected: Interruption.Cause) {
        var state = SupervisorState(policy: policy())
        let isTooEarly = state.crashed(by: 11)
        #expect(!isTooEarly)
        _ = state.start()
        _ = state.served(at: start)
        state.sessionEnded(session)
        let isNew = [state.crashed(by: 11), state.crashed(by: 11)]
        #expect(isNew == [true, false])
        state.sessionEnded(.silent)
        let overran = state.overran()
        #expect(!overran)
        #expect(state.death(cause) == Interruption(cause: expected, incarnation: 1))
    }

    @Test("A refused worker is given up at once, although its program ends by a trap")
    func refusedAndCrashed() {
        var state = SupervisorState(policy: policy())
        _ = state.start()
        state.sessionEnded(.refused("it is another build"))
        let isNew = state.crashed(by: 4)
        #expect(!isNew)
        // A second end of the session changes nothing.
        state.sessionEnded(.ended)
        let end = state.ended(.signal(4), at: start, chance: 0.5)
        #expect(end?.death == Interruption(cause: .signal(4), incarnation: 1))
        #expect(
            end?.next == giveUp("the worker was refused: it is another build", [], .signal(4), result: .protocol)
        )
    }

    @Test("A worker that crashes while it leaves for its group has crashed, whatever its exit status is")
    func crashesInGroup() {
        for cause in [.signal(9), .statusLost("taken"), .limit("memory")] as [Interruption.Cause] {
            var state = SupervisorState(policy: policy())
            _ = state.start()
            _ = state.served(at: start)
            _ = state.leave(for: .group("g"))
            let isNew = state.crashed(by: 11)
            #expect(isNew)
            #expect(state.death(cause) == Interruption(cause: .signal(11), incarnation: 1), "\(cause)")
        }
        // A worker that handled the signal and left in order.
        var state = SupervisorState(policy: policy())
        _ = state.start()
        _ = state.served(at: start)
        _ = state.leave(for: .group("g"))
        _ = state.crashed(by: 11)
        #expect(state.death(.exit(code: 0)) == Interruption(cause: .group("g"), incarnation: 1))
        // One that a tool asked to leave.
        var requested = SupervisorState(policy: policy())
        _ = requested.start()
        _ = requested.served(at: start)
        let cause = Interruption.Cause.requested(by: "process 7")
        #expect(requested.leave(for: cause) == .drain && requested.leave(for: .group("g")) == nil)
        let end = requested.ended(.signal(9), at: start, chance: 0)
        #expect(end?.death == Interruption(cause: cause, incarnation: 1))
        #expect(end?.next == .restart(.init(attempt: 1, delay: .zero, cause: cause)))
    }

    @Test("Time for writing a crash report counts neither for the stable time nor for the intensity's period")
    func reports() {
        let policy = policy {
            $0.intensity.restarts = 5; $0.stableTime = .seconds(10)
        }
        var state = SupervisorState(policy: policy)
        for step in 1...6 {
            let now = start + .seconds(12 * step)
            _ = state.start()
            _ = state.served(at: now - .seconds(12))
            _ = state.ended(.signal(11), reporting: .seconds(11), at: now, chance: 0.5)
        }
        #expect(isGivenUp(state))
    }

    @Test("Time spent hanging counts neither for the stable time nor for the intensity's period")
    func hangs() {
        let policy = policy {
            $0.intensity.restarts = 2; $0.stableTime = .seconds(10)
        }
        var state = SupervisorState(policy: policy, heartbeatTimeout: .seconds(10), turnTimeout: .seconds(10))
        #expect(die(&state, after: .seconds(15), at: start, .hang) == restart(1, after: 100, .hang))
        #expect(die(&state, after: .seconds(11), at: start + .seconds(11), .turn) == restart(2, after: 200, .turn))
        _ = die(&state, after: .seconds(11), at: start + .seconds(22), .hang)
        #expect(isGivenUp(state))
    }

    @Test("An incarnation that was stable before it hung renews the budget")
    func stableBeforeItHung() {
        let policy = policy {
            $0.intensity.restarts = 1; $0.stableTime = .seconds(10)
        }
        var state = SupervisorState(policy: policy, heartbeatTimeout: .seconds(10))
        for step in 1...10 {
            let now = start + .seconds(30 * step)
            #expect(die(&state, after: .seconds(20), at: now, .hang) == restart(1, after: 0, .hang))
        }
    }

    @Test("A stable incarnation renews the budget (F14)") func aStableIncarnationRenewsTheBudget() {
        var state = SupervisorState(
            policy: policy {
                $0.intensity.restarts = 1
                $0.stableTime = .seconds(10)
            }
        )
        for _ in 0..<50 {
            #expect(die(&state, after: .seconds(10), at: start) == restart(1, after: 0))
        }
        _ = die(&state, after: .milliseconds(9_999), progress: true, at: start)
        #expect(isGivenUp(state))
    }

    @Test("Deaths that a feature recovers from do not count, up to a maximum")
    func answeredDeaths() {
        var state = SupervisorState(
            policy: policy {
                $0.intensity.restarts = 0
                $0.maximumAnsweredDeaths = 3
                $0.stableTime = .seconds(10)
            }
        )
        for _ in 1...3 { #expect(die(&state, excuse: .answered, at: start) == restart(1, after: 100)) }
        #expect(die(&state, after: .seconds(10), excuse: .answered, at: start) == restart(1, after: 0))
        for _ in 1...2 { _ = die(&state, excuse: .answered, at: start) }
        #expect(!isGivenUp(state))
        _ = die(&state, excuse: .answered, at: start)
        #expect(isGivenUp(state))
    }

    @Test("Deaths that the owner of a task answers for do not count, and the next worker starts without delay")
    func deathsOfTasks() {
        var state = SupervisorState(policy: policy { $0.intensity.restarts = 0 })
        for _ in 1...50 { #expect(die(&state, excuse: .task, at: start) == restart(1, after: 0)) }
        _ = die(&state, at: start)
        #expect(isGivenUp(state))
    }

    // MARK: Trying again

    @Test("A worker that was given up is probed, and given up at once if the probe's incarnation is short")
    func probes() {
        var state = SupervisorState(
            policy: policy {
                $0.intensity.restarts = 0
                $0.maximumFailedStarts = 0
                $0.stableTime = .seconds(10)
                $0.probeDelay = .seconds(60)
            }
        )
        let killed = "killed by signal 9 (SIGKILL)"
        let past = "signal: \(killed)"
        let first =
            "the worker ended 1 time within 10.0 seconds, the last time: \(killed); it is tried again in 60.0 seconds"
        #expect(die(&state, at: start) == giveUp(first, [past], probe: .seconds(60)))
        var isProbing = state.probe()
        #expect(isProbing)
        let second =
            "the worker was tried again and ended before it was stable: \(killed); it is tried again in 60.0 seconds"
        #expect(die(&state, at: start) == giveUp(second, [past, past], probe: .seconds(60)))
        isProbing = state.probe()
        #expect(isProbing)
        let third =
            "the worker was tried again and ended before it completed its handshake: \(killed); it is tried again in"
            + " 60.0 seconds"
        #expect(failToBoot(&state, .signal(9)) == giveUp(third, [past, past, past], probe: .seconds(60)))
        isProbing = state.probe()
        #expect(isProbing)
        #expect(die(&state, after: .seconds(10), at: start) != nil)
        isProbing = state.probe()
        #expect(isProbing)
    }

    @Test("A stable incarnation of a probe renews the whole budget")
    func aProbeThatServes() {
        var state = SupervisorState(
            policy: policy {
                $0.intensity.restarts = 1
                $0.stableTime = .seconds(10)
                $0.probeDelay = .seconds(60)
            }
        )
        _ = die(&state, at: start)
        _ = die(&state, at: start)
        let isProbing = state.probe()
        #expect(isProbing)
        _ = state.start()
        let served = state.served(at: start)
        #expect(served != nil && !state.isProbing)
        let next = state.ended(.signal(9), at: start + .seconds(10), chance: 0.5)?.next
        #expect(next == restart(1, after: 0))
    }

    @Test("A reset during a probe accepts events at once")
    func aResetWhileProbing() {
        var state = SupervisorState(
            policy: policy {
                $0.intensity.restarts = 0; $0.probeDelay = .seconds(60)
            }
        )
        _ = die(&state, at: start)
        let isProbing = state.probe()
        _ = state.start()
        var isReset = state.reset()
        #expect(isProbing && isReset)
        #expect(!state.isProbing)
        isReset = state.reset()
        #expect(!isReset)
    }

    @Test("Starts have a budget of their own (F5)") func bootingHasABudgetOfItsOwn() {
        var state = SupervisorState(policy: policy { $0.maximumFailedStarts = 2 })
        for attempt in 1...2 {
            #expect(failToBoot(&state, .exit(code: 3)) == restart(attempt, after: 100 * attempt, .exit(code: 3)))
        }
        let reason =
            "the worker ended 3 times before it completed its handshake, the last time: exited with code 3; run its"
            + " executable by hand to see why"
        let history = [String](repeating: "exit-code: exited with code 3", count: 3)
        #expect(failToBoot(&state, .exit(code: 3)) == giveUp(reason, history, .exit(code: 3)))
    }

    @Test("A worker that took too long to start is given up with the name of the setting that gives it more time (F5)")
    func slowStartsNameTheirLimit() {
        var state = SupervisorState(policy: policy { $0.maximumFailedStarts = 1 })
        #expect(failToBoot(&state, .hang) == restart(1, after: 100, .hang))
        let reason =
            "the worker ended 2 times before it completed its handshake, the last time: stopped answering; raise"
            + " restart.bootTimeout to give it more time, or run its executable by hand to see why"
        let history = [String](repeating: "watchdog: stopped answering", count: 2)
        #expect(failToBoot(&state, .hang) == giveUp(reason, history, .hang))
    }

    @Test func aServingIncarnationClearsTheBootBudget() {
        var state = SupervisorState(policy: policy { $0.maximumFailedStarts = 1 })
        for _ in 0..<3 {
            #expect(failToBoot(&state, .hang) == restart(1, after: 100, .hang))
            _ = die(&state, after: .seconds(100), at: start)
        }
    }

    @Test func historyIsBounded() {
        var state = SupervisorState(policy: policy { $0.maximumFailedStarts = 99 })
        for code in 0..<99 { _ = failToBoot(&state, .exit(code: Int32(code))) }
        guard case .giveUp(let failure, _, _, _) = failToBoot(&state, .hang) else {
            Issue.record("not given up")
            return
        }
        #expect(failure.history.count == 16)
        #expect(failure.history.first == "exit-code: exited with code 84")
        #expect(failure.history.last == "watchdog: stopped answering")
    }

    @Test func aResetForgetsEverything() {
        var state = SupervisorState(policy: policy { $0.intensity.restarts = 1 })
        _ = die(&state, at: start)
        _ = die(&state, at: start)
        let isReset = state.reset()
        #expect(isReset)
        #expect(die(&state, at: start) == restart(1, after: 100))
    }

    // MARK: Kinds

    @Test(
        arguments: [
            (.permanent, .exit(code: 0), true), (.permanent, .signal(11), true), (.transient, .exit(code: 1), true),
            (.transient, .signal(15), true), (.temporary, .exit(code: 0), false), (.temporary, .hang, false),
        ] as [(RestartPolicy.Kind, Interruption.Cause, Bool)]
    )
    func theKindSaysWhichEndsAreFollowed(kind: RestartPolicy.Kind, cause: Interruption.Cause, restarts: Bool) {
        var state = SupervisorState(policy: policy { $0.kind = kind })
        let decision = die(&state, at: start, cause)
        if restarts {
            #expect(decision == restart(1, after: 100, cause))
        } else {
            #expect(decision == giveUp("the worker ended: \(cause)", [cause.withResult], cause, result: cause.result))
        }
    }

    @Test func aTransientWorkerMayLeave() {
        var state = SupervisorState(policy: policy { $0.kind = .transient })
        let failure = HostFailure(reason: "the worker ended: exited with code 0", result: .success)
        #expect(
            die(&state, at: start, .exit(code: 0))
                == .giveUp(failure, after: .exit(code: 0), isError: false, probe: nil)
        )
    }

    // MARK: In a group

    @Test(
        "An end that a group ordered does not count, and is called that unless the worker's status says more",
        arguments: [
            (.exit(code: 0), .open, .group("g")), (.signal(15), .ended, .group("g")),
            (.signal(9), .open, .group("g")), (.statusLost("taken"), .open, .group("g")),
            (.signal(11), .open, .signal(11)), (.exit(code: 3), .ended, .exit(code: 3)), (.signal(9), .silent, .hang),
            (.limit("memory"), .open, .limit("memory")),
        ] as [(Interruption.Cause, SupervisorState.SessionPhase, Interruption.Cause)]
    )
    func orderedEnds(cause: Interruption.Cause, session: SupervisorState.SessionPhase, expected: Interruption.Cause) {
        var state = SupervisorState(policy: policy { $0.intensity.restarts = 0 })
        for incarnation in 1...3 as ClosedRange<UInt64> {
            _ = state.start()
            _ = state.served(at: start)
            _ = state.leave(for: .group("g"))
            #expect(state.isLeaving && state.isAskedToLeave)
            state.sessionEnded(session)
            let end = state.ended(cause, at: start, chance: 0.5)
            #expect(end?.death == Interruption(cause: expected, incarnation: incarnation))
            #expect(end?.next == .restart(.init(attempt: 1, delay: .zero, cause: .group("g"))))
        }
        // The first death of its own exceeds the intensity, and its message does not mention other deaths.
        #expect(
            die(&state, at: start)
                == giveUp(
                    "the worker ended 1 time within 10.0 seconds, the last time: killed by signal 9 (SIGKILL)",
                    ["signal: killed by signal 9 (SIGKILL)"]
                )
        )
    }

    @Test("A worker is done when it ended as its restart policy allows, and not when it was refused")
    func done() {
        let table: [(RestartPolicy.Kind, Interruption.Cause, Bool)] = [
            (.transient, .exit(code: 0), true), (.transient, .exit(code: 1), false), (.temporary, .hang, true),
            (.permanent, .exit(code: 0), false),
        ]
        for (kind, cause, isDone) in table {
            var state = SupervisorState(policy: policy { $0.kind = kind })
            _ = die(&state, at: start, cause)
            #expect(state.isDone == isDone, "\(kind), \(cause)")
        }
        var state = SupervisorState(policy: policy { $0.kind = .temporary })
        _ = state.start()
        state.sessionEnded(.refused("it is another build"))
        _ = state.ended(.exit(code: 0), at: start, chance: 0.5)
        #expect(!state.isDone)
    }

    @Test("A worker that is retried with its group has its whole budget, and accepts events when it serves")
    func retried() {
        var state = SupervisorState(policy: policy { $0.intensity.restarts = 1 })
        _ = die(&state, at: start)
        _ = die(&state, at: start)
        #expect(state.retry() && state.isProbing)
        #expect(die(&state, at: start) == restart(1, after: 100))
        #expect(!state.isProbing)
    }

    // MARK: Each input in each state

    /// The answer to each input in each state, and the state after it. "-" means that the input changes nothing and has
    /// no answer.
    @Test(
        arguments: [
            // idle, booting, serving, draining, leaving, backingOff, givenUp, stopped
            (.start, ["1, booting 1", "-", "-", "-", "-", "2, booting 2", "-", "-"]),
            (.launched, ["-", "booting 1", "serving 1", "draining 1", "leaving 1", "-", "-", "-"]),
            (.lacked, ["-", "again, backingOff", "-", "stopped", "again, backingOff", "-", "-", "-"]),
            (.served, ["-", "serving, serving 1", "-", "-", "-", "-", "-", "-"]),
            (.progressed, ["-", "-", "serving 1", "-", "-", "-", "-", "-"]),
            (.sessionEnded, ["-", "booting 1", "serving 1", "draining 1", "leaving 1", "-", "-", "-"]),
            (
                .ended,
                [
                    "-", "restart, backingOff", "restart, backingOff", "stop, stopped", "restart, backingOff", "-", "-",
                    "-",
                ]
            ),
            (.reset, ["-", "-", "-", "-", "-", "-", "done, idle", "-"]),
            (.probe, ["-", "-", "-", "-", "-", "-", "done, idle", "-"]),
            (.retry, ["-", "-", "-", "-", "-", "-", "done, idle", "-"]),
            (.giveUp, ["done, givenUp", "-", "-", "-", "-", "done, givenUp", "-", "-"]),
            (.leave, ["-", "leave, leaving 1", "drain, leaving 1", "-", "-", "-", "-", "-"]),
            (
                .stop,
                [
                    "wake, stopped", "leave, draining 1", "drain, draining 1", "join", "hasten, draining 1",
                    "wake, stopped", "wake, stopped", "wake",
                ]
            ),
        ] as [(Input, [String])]
    )
    func eachInputInEachState(input: Input, expected: [String]) {
        for (state, expected) in zip(States.allCases, expected) {
            var machine = state.make(policy())
            #expect(machine.phase.name == state.rawValue)
            let before = machine.phase
            let answer = input.apply(to: &machine, at: start)
            let after = machine.phase == before ? nil : machine.phase.spoken
            let heard = [answer, after].compactMap(\.self)
            #expect(heard.isEmpty ? expected == "-" : heard.joined(separator: ", ") == expected, "\(input), \(state)")
        }
    }

    @Test(
        "The end of the session explains a death before the exit status does",
        arguments: [
            (.open, .exit(code: 1), restart: true), (.ended, .exit(code: 1), restart: true),
            (.silent, .hang, restart: true), (.refused("it is another build"), .exit(code: 1), restart: false),
        ] as [(SupervisorState.SessionPhase, Interruption.Cause, restart: Bool)]
    )
    func theSessionExplainsTheDeath(session: SupervisorState.SessionPhase, cause: Interruption.Cause, restart: Bool) {
        var state = SupervisorState(policy: policy())
        _ = state.start()
        state.sessionEnded(session)
        let end = state.ended(.exit(code: 1), at: start, chance: 0.5)
        #expect(end?.death == Interruption(cause: cause, incarnation: 1))
        #expect(
            end?.next
                == (restart
                    ? self.restart(1, after: 100, cause)
                    : giveUp("the worker was refused: it is another build", [], cause, result: .protocol))
        )
    }

    @Test func theServingWorkerIsNamed() {
        var state = SupervisorState(policy: policy())
        _ = die(&state, at: start)
        _ = state.start()
        state.launched(processID: 42)
        let serving = state.served(at: start)
        #expect(serving == HostStatus.Serving(incarnation: 2, processID: 42))
    }

    @Test func aWorkerWithoutASessionIsNotDrained() {
        var state = SupervisorState(policy: policy())
        _ = state.start()
        _ = state.served(at: start)
        state.sessionEnded(.ended)
        let order = state.stop()
        #expect(order == .leave)
    }
}

enum States: String, CaseIterable {
    case idle, booting, serving, draining, leaving, backingOff, givenUp, stopped

    func make(_ policy: RestartPolicy) -> SupervisorState {
        var policy = policy
        if self == .givenUp { policy.kind = .temporary }
        var state = SupervisorState(policy: policy)
        let now = ContinuousClock.now
        if self != .idle { _ = state.start() }
        switch self {
        case .idle, .booting: break
        case .serving: _ = state.served(at: now)
        case .backingOff, .givenUp: _ = state.ended(.signal(9), at: now, chance: 0.5)
        case .draining: _ = state.stop()
        case .leaving:
            _ = state.served(at: now)
            _ = state.leave(for: .group("g"))
        case .stopped:
            _ = state.stop()
            _ = state.ended(.signal(9), at: now, chance: 0.5)
        }
        return state
    }
}

enum Input: Sendable {
    case start, launched, lacked, served, progressed, sessionEnded, ended, reset, probe, retry, giveUp, leave, stop

    /// - Returns: The answer; nil: there is nothing to do.
    func apply(to state: inout SupervisorState, at now: ContinuousClock.Instant) -> String? {
        switch self {
        case .start: return state.start().map { "\($0)" }
        case .launched: state.launched(processID: 42)
        case .lacked: return state.lacked("none left", chance: 0.5).map { _ in "again" }
        case .served: return state.served(at: now).map { _ in "serving" }
        case .progressed: state.progressed()
        case .sessionEnded: state.sessionEnded(.silent)
        case .ended:
            switch state.ended(.signal(9), at: now, chance: 0.5)?.next {
            case .restart: return "restart"
            case .giveUp: return "giveUp"
            case .stop: return "stop"
            case nil: return nil
            }
        case .reset: return state.reset() ? "done" : nil
        case .probe: return state.probe() ? "done" : nil
        case .retry: return state.retry() ? "done" : nil
        case .giveUp: return state.giveUp(HostFailure(reason: "its group was")) ? "done" : nil
        case .leave: return state.leave(for: .group("g")).map { "\($0)" }
        case .stop: return "\(state.stop())"
        }
        return nil
    }
}

extension SupervisorState.Phase {
    fileprivate var name: String {
        switch self {
        case .idle: "idle"
        case .booting: "booting"
        case .serving: "serving"
        case .draining: "draining"
        case .leaving: "leaving"
        case .backingOff: "backingOff"
        case .givenUp: "givenUp"
        case .stopped: "stopped"
        }
    }

    /// A description with the incarnation, if there is one.
    fileprivate var spoken: String {
        switch self {
        case .booting(let worker), .serving(let worker, _, _), .draining(let worker), .leaving(let worker, _):
            "\(name) \(worker.incarnation)"
        case .idle, .backingOff, .givenUp, .stopped: name
        }
    }
}
