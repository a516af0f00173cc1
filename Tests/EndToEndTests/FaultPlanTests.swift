import LatticeCoordinator
import LatticeCore
import LatticeFaults
import LatticeTestSupport
import Testing

/// Plans of faults on real workers.
@MainActor @Suite(.timeLimit(.minutes(10))) struct FaultPlanTests {
    /// Two that end a worker, among others that only disturb it.
    private static let deadly: [Fault] = [.reading(at: 600, .kill), .writing(at: 300, .cut, on: 1)]
    private static let harmless: [Fault] = [
        .reading(at: 0, .split(piece: 3, length: 50)), .writing(at: 60, .stall(.milliseconds(1)), on: 1),
        .reading(at: 120, .pause(.milliseconds(1)), on: 2), .writing(at: 180, .split(piece: 3, length: 50)),
        .start(1, .chatter(bytes: 100_000)), .start(2, .grandchild),
    ]

    @Test("Each fault happens on the connection that it is planned for, and the worker that it ends is restarted")
    func faultsHappen() async throws {
        let plan = FaultPlan(Self.harmless + Self.deadly)
        let run = try await run(plan, intensity: 5)
        #expect(run.outcomes.allSatisfy { $0 == .finished })
        #expect(run.sum == "sum \(run.outcomes.count)")
        #expect(run.incarnation == 3)
        #expect(Set(run.struck) == Set(plan.faults))
    }

    @Test("The smallest plan that stops a worker consists of its deaths alone")
    func theSmallestPlanIsFound() async throws {
        let plan = FaultPlan(Self.harmless + Self.deadly)
        let smallest = try await plan.shrunk { plan in
            try await run(plan, intensity: 1).outcomes.contains { $0 != .finished }
        }
        #expect(smallest.faults == Self.deadly)
    }

    @Test(
        "A worker that never serves is started again",
        arguments: [.exit(code: 0), .exit(code: 7), .crash, .hang, .descriptors(limit: 3)] as [LaunchFault.Kind]
    )
    func startsAgain(kind: LaunchFault.Kind) async throws {
        let isWaitedFor = kind == .hang
        let bootTimeout: Duration = .seconds(isWaitedFor ? 2 : 20)
        let run = try await run(FaultPlan([.start(0, kind)]), intensity: 5, bootTimeout: bootTimeout)
        #expect(run.outcomes.allSatisfy { $0 == .finished })
        // Within so short a limit a busy machine may not start the next one either.
        #expect(isWaitedFor ? run.incarnation >= 2 : run.incarnation == 2)
    }

    @Test(
        "A worker without free descriptors fails the effect that needs one, keeps serving, and can be restarted (F11)"
    )
    func noDescriptors() async throws {
        var configuration = configuration(workers: Programs.path("unruly"))
        let record = configuration.inject(
            FaultPlan([.start(0, .descriptors(limit: 32)), .start(1, .descriptors(limit: 32))]),
            into: .workers
        )
        try await withCoordinator(hosting: UnrulyFeature.self, configuration: configuration) { coordinator in
            let unruly = try await coordinator.viewModel(UnrulyFeature.self)
            for incarnation in 1...2 as ClosedRange<UInt64> {
                let failure = EffectFailure(type: "Errno", message: "24")
                #expect(await unruly.sendViewEvent(.openFiles).finish() == .failed(failure))
                #expect(await unruly.sendViewEvent(.addLater(1)).finish() == .finished)
                guard case .serving(let serving) = unruly.hostStatus else { throw NotServing(host: unruly.hostStatus) }
                #expect(serving.incarnation == incarnation)
                let end = Interruption(cause: .exit(code: 3), incarnation: incarnation)
                #expect(await unruly.sendViewEvent(.exit(3)).finish() == .interrupted(end))
            }
            #expect(await unruly.sendViewEvent(.add(1)).finish() == .finished)
            #expect(unruly.viewState == 3)
        }
        #expect(record.struck.count == 2)
    }

    private struct Run {
        let outcomes: [EventOutcome]
        let sum: String
        /// The last incarnation that served, or 0.
        let incarnation: UInt64
        let struck: [Fault]
    }

    private func run(
        _ plan: FaultPlan,
        intensity: Int,
        bootTimeout: Duration = .seconds(20)
    ) async throws -> Run {
        var configuration = configuration(workers: Programs.path("counter"))
        configuration.restart.initialDelay = .milliseconds(1)
        // On a busy machine as well.
        configuration.restart.stableTime = .seconds(3600)
        configuration.restart.intensity = RestartIntensity(restarts: intensity, period: .seconds(3600))
        configuration.restart.bootTimeout = bootTimeout
        let record = configuration.inject(plan, into: .workers)
        return try await withCoordinator(hosting: Counter.self, configuration: configuration) { coordinator in
            let viewModel = try await coordinator.viewModel(Counter.self)
            var outcomes: [EventOutcome] = []
            // Enough bytes for each of the faults, one after the other.
            for _ in 0..<40 { outcomes.append(await viewModel.sendViewEvent(.add(1)).finish()) }
            let incarnation: UInt64 =
                if case .serving(let serving) = viewModel.hostStatus { serving.incarnation } else { 0 }
            return Run(
                outcomes: outcomes,
                sum: viewModel.viewState,
                incarnation: incarnation,
                struck: record.struck
            )
        }
    }
}
