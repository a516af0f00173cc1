import LatticeCoordinator
import LatticeCore
import LatticeTestSupport
import Logging
import Observation
import Testing

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Workers that take long to crash, as those do of which Swift's runtime writes a backtrace.
@MainActor @Suite(.timeLimit(.minutes(3))) struct SlowCrashTests {
    private func withWorker(
        crashingFor time: Duration,
        backtraceTimeout: Duration = .seconds(100),
        _ body: (ViewModel<UnrulyFeature>, ViewModel<NamingFeature>) async throws -> Void
    ) async throws {
        var configuration = configuration(workers: Programs.path("unruly"))
        configuration.workerEnvironment[UnrulyFeature.slowCrashName] = "\(Int(time / .milliseconds(1)))"
        configuration.heartbeatInterval = .milliseconds(500)
        // Long enough for a worker that just has no processor for a while.
        configuration.heartbeatTimeout = .seconds(5)
        configuration.limits.turn = .seconds(3)
        configuration.backtraceTimeout = backtraceTimeout
        try await withCoordinator(
            hosting: UnrulyFeature.self,
            NamingFeature.self,
            configuration: configuration
        ) { coordinator in
            try await body(
                try await coordinator.viewModel(UnrulyFeature.self),
                try await coordinator.viewModel(NamingFeature.self)
            )
        }
    }

    @Test("a crash in a turn that takes longer than a turn may is a crash, and no turn that took too long")
    func inTurn() async throws {
        try await withWorker(crashingFor: .seconds(8)) { unruly, _ in
            let event = unruly.sendViewEvent(.crash(unless: "/nowhere"))
            guard case .rejected(let rejection) = await event.finish() as EventOutcome else {
                Issue.record("it ended \(String(describing: event.outcome))")
                return
            }
            #expect(rejection.reason.contains("killed by signal 6 (SIGABRT)"), "\(rejection.reason)")
        }
    }

    @Test("a crash in an effect that takes longer than a worker may be silent is a crash, and no hang")
    func inEffect() async throws {
        try await withWorker(crashingFor: .seconds(8)) { _, naming in
            let event = naming.sendViewEvent(.start([NamingFeature.Job("crash", .crash, atMost: 1)]))
            guard case .interrupted(let interruption) = await event.finish() as EventOutcome else {
                Issue.record("it ended \(String(describing: event.outcome))")
                return
            }
            #expect(interruption.cause == .signal(SIGABRT))
        }
    }

    @Test("while the report of a crash is written the status says so; a signal from outside ends the worker, too")
    func status() async throws {
        try await withWorker(crashingFor: .seconds(8)) { unruly, _ in
            let waiting = unruly.sendViewEvent(.wait)
            #expect(await unruly.sendViewEvent(.add(1)).finish() == .finished)
            kill(try servingProcess(unruly), SIGSEGV)
            var reasons = Observations { unruly.hostStatus }.compactMap {
                if case .unresponsive(let worker) = $0 { worker.reason } else { nil }
            }.makeAsyncIterator()
            let reason = try #require(await reasons.next())
            #expect(reason.hasPrefix("it crashed (killed by signal 11 (SIGSEGV)) "), "\(reason)")
            #expect(await waiting.finish() == .interrupted(Self.end(by: SIGSEGV)))
        }
    }

    @Test("the report of a crash has a time of its own; then the worker is ended, and the cause is the crash")
    func limit() async throws {
        try await withWorker(crashingFor: .seconds(1_000), backtraceTimeout: .seconds(1)) { unruly, _ in
            let waiting = unruly.sendViewEvent(.wait)
            #expect(await unruly.sendViewEvent(.add(1)).finish() == .finished)
            kill(try servingProcess(unruly), SIGSEGV)
            #expect(await waiting.finish() == .interrupted(Self.end(by: SIGSEGV)))
            #expect(await unruly.sendViewEvent(.add(1)).finish() == .finished)
            #expect(unruly.viewState == 2)
        }
    }

    private static func end(by signal: Int32) -> Interruption {
        Interruption(cause: .signal(signal), incarnation: 1)
    }
}
