import Foundation
import LatticeCoordinator
import LatticeCore
import LatticeTestSupport
import Testing

/// Tests faults of a worker, and the reaction of its coordinator.
@MainActor @Suite(.timeLimit(.minutes(10))) struct FaultTests {
    private typealias Unruly = ViewModel<UnrulyFeature>

    /// Far more than what each of these takes, also beside other programs; a hang is the time limit of the suite.
    private static let bound: Duration = .seconds(90)

    @Test("An effect has not finished if its worker exits with code 0 (F4)")
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
        "A turn that does not end is found although effects still run, and the next worker continues (F7, F9)",
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

    @Test("A stopped worker is replaced, and its later messages are ignored (F6)")
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

    @Test("The end of a forked copy of a worker does not end the worker")
    func copyEnds() async throws {
        try await withUnruly { viewModel in
            #expect(await viewModel.sendViewEvent(.endCopy).finish() == .finished)
            #expect(await viewModel.sendViewEvent(.add(1)).finish() == .finished)
            #expect(viewModel.viewState == 2)
        }
    }

    @Test(
        "Turns, effects, timeouts and cancellations continue, whatever effects compute (F86)",
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

    @Test("A worker that crashes while it is being ended still ends, and so do its events (F16)")
    func crashAtTheEnd() async throws {
        let (event, process) = try await withUnruly { viewModel in
            let event = viewModel.sendViewEvent(.crashWhenCancelled)
            #expect(await viewModel.sendViewEvent(.add(1)).finish() == .finished)
            return (event, try servingProcess(viewModel))
        }
        #expect(await event.finish() == .interrupted(Interruption(cause: .signal(SIGABRT), incarnation: 1)))
        #expect(!isThere(process))
    }

    @Test("A worker that ignores SIGTERM and does not leave is killed in time (F17)")
    func refusesToLeave() async throws {
        let started = ContinuousClock.now
        let process = try await withUnruly { viewModel in
            #expect(await viewModel.sendViewEvent(.refuseToLeave).finish() == .finished)
            return try servingProcess(viewModel)
        }
        #expect(!isThere(process))
        #expect(started.duration(to: .now) < Self.bound)
    }

    @Test("A program that the application started itself is left for the application to wait for (F23)")
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
        configuration.limits.turnTimeout = .seconds(3)
        configuration.drainTimeout = .milliseconds(200)
        configuration.teardownTimeout = .milliseconds(300)
        // Swift's report of a crash takes longer than that.
        configuration.workerEnvironment["SWIFT_BACKTRACE"] = "enable=no"
        return try await withCoordinator(hosting: UnrulyFeature.self, configuration: configuration) { coordinator in
            try await body(try await coordinator.viewModel(UnrulyFeature.self))
        }
    }
}
