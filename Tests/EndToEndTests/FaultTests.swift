import Foundation
import LatticeCoordinator
import LatticeCore
import LatticeTestSupport
import Testing

/// What a worker does to itself, and what its coordinator makes of it.
@MainActor @Suite(.timeLimit(.minutes(2))) struct FaultTests {
    private typealias Unruly = ViewModel<UnrulyFeature>

    /// Far more than what each of these takes, also beside other programs; a hang is the time limit of the suite.
    private static let bound: Duration = .seconds(90)

    @Test("F4: a worker that exits with 0 in the middle of an effect has not finished it")
    func exitInAnEffect() async throws {
        try await withUnruly { viewModel in
            let waiting = viewModel.sendViewEvent(.wait)
            #expect(await viewModel.sendViewEvent(.add(2)).finish() == .finished)
            let outcome = await viewModel.sendViewEvent(.exit(0)).finish()
            let interruption = Interruption(cause: .exit(code: 0), incarnation: 1)
            #expect(outcome == .interrupted(interruption))
            #expect(await waiting.finish() == .interrupted(interruption))
            #expect(await viewModel.sendViewEvent(.add(3)).finish() == .finished)
            #expect(viewModel.viewState == 5)
        }
    }

    @Test(
        "F7, F9: a turn that does not end is found, though effects live, and the next worker goes on",
        arguments: [true, false]
    )
    func turnThatDoesNotEnd(computes: Bool) async throws {
        try await withSocketPath { path in
            let marker = path + ".marker"
            try await withUnruly { viewModel in
                let waiting = viewModel.sendViewEvent(.wait)
                #expect(await viewModel.sendViewEvent(.add(2)).finish() == .finished)
                let process = try servingProcess(viewModel)
                let event = viewModel.sendViewEvent(computes ? .spin(marker: marker) : .block(marker: marker))
                let interruption = Interruption(cause: .limit("turn"), incarnation: 1)
                #expect(await waiting.finish() == .interrupted(interruption))
                // It was not acknowledged, so the next worker is sent it again, and has no reason to hang.
                #expect(await event.finish() == .finished)
                #expect(viewModel.viewState == 3)
                #expect(try servingProcess(viewModel) != process)
                #expect(!isThere(process))
            }
        }
    }

    @Test("F6: a worker that stands still is replaced, and what it has still to say is not heard")
    func stoppedWorker() async throws {
        try await withUnruly { viewModel in
            let waiting = viewModel.sendViewEvent(.wait)
            #expect(await viewModel.sendViewEvent(.add(2)).finish() == .finished)
            let process = try servingProcess(viewModel)
            stop(process)
            let event = viewModel.sendViewEvent(.add(3))
            #expect(await waiting.finish() == .interrupted(Interruption(cause: .hang, incarnation: 1)))
            #expect(await event.finish() == .finished)
            #expect(viewModel.viewState == 5)
            #expect(!isThere(process))
        }
    }

    @Test("a copy of a worker that ends does not take the worker along")
    func copyEnds() async throws {
        try await withUnruly { viewModel in
            #expect(await viewModel.sendViewEvent(.endCopy).finish() == .finished)
            #expect(await viewModel.sendViewEvent(.add(1)).finish() == .finished)
            #expect(viewModel.viewState == 2)
        }
    }

    @Test(
        "F86: whatever effects compute, turns, effects, timeouts and cancels go on",
        .serialized,
        arguments: [(8, false), (64, false), (8, true)]
    )
    func computingEffects(count: Int, withTasks: Bool) async throws {
        try await withUnruly { viewModel in
            let process = try servingProcess(viewModel)
            let computing = viewModel.sendViewEvent(.compute(count, withTasks: withTasks))
            #expect(await viewModel.sendViewEvent(.add(1)).finish() == .finished)
            #expect(await viewModel.sendViewEvent(.addLater(10)).finish() == .finished)
            #expect(await viewModel.sendViewEvent(.computeBriefly(milliseconds: 100)).finish() == .finished)
            let waiting = viewModel.sendViewEvent(.wait)
            waiting.cancel()
            #expect(await waiting.finish() == .cancelled)
            #expect(viewModel.viewState == 111)
            #expect(await viewModel.sendViewEvent(.stopComputing).finish() == .finished)
            #expect(await computing.finish() == .finished)
            #expect(try servingProcess(viewModel) == process)
        }
    }

    @Test("F16: a worker that crashes while it is ended ends all the same, and its events with it")
    func crashAtTheEnd() async throws {
        let (event, process) = try await withUnruly { viewModel in
            let event = viewModel.sendViewEvent(.crashWhenCancelled)
            #expect(await viewModel.sendViewEvent(.add(1)).finish() == .finished)
            return (event, try servingProcess(viewModel))
        }
        #expect(await event.finish() == .interrupted(Interruption(cause: .signal(SIGABRT), incarnation: 1)))
        #expect(!isThere(process))
    }

    @Test("F17: a worker that ignores SIGTERM and does not leave is killed in time")
    func refusesToLeave() async throws {
        let started = ContinuousClock.now
        let process = try await withUnruly { viewModel in
            #expect(await viewModel.sendViewEvent(.refuseToLeave).finish() == .finished)
            return try servingProcess(viewModel)
        }
        #expect(!isThere(process))
        #expect(started.duration(to: .now) < Self.bound)
    }

    @Test("F23: a program that the application started itself is left for it to wait for")
    func foreignChild() async throws {
        let child = Process()
        child.executableURL = URL(fileURLWithPath: "/bin/sh")
        child.arguments = ["-c", "read line; exit 7"]
        let input = Pipe()
        child.standardInput = input
        let (ended, end) = AsyncStream<Int32>.makeStream()
        child.terminationHandler = { end.yield($0.terminationStatus) }
        try child.run()
        try await withUnruly { viewModel in
            kill(try servingProcess(viewModel), SIGKILL)
            #expect(await viewModel.sendViewEvent(.add(1)).finish() == .finished)
            try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
            for await status in ended {
                #expect(status == 7)
                break
            }
        }
    }

    private func withUnruly<Result>(_ body: (Unruly) async throws -> Result) async throws -> Result {
        var configuration = configuration(workers: Programs.path("unruly"))
        configuration.heartbeatInterval = .milliseconds(500)
        // Long enough for a worker that just has no processor for a while.
        configuration.heartbeatTimeout = .seconds(5)
        configuration.limits.turn = .seconds(3)
        configuration.drainTimeout = .milliseconds(200)
        configuration.teardownTimeout = .milliseconds(300)
        // Swift's report of a crash takes longer than that.
        configuration.workerEnvironment["SWIFT_BACKTRACE"] = "enable=no"
        return try await withCoordinator(hosting: UnrulyFeature.self, configuration: configuration) { coordinator in
            try await body(try await coordinator.viewModel(UnrulyFeature.self))
        }
    }
}
