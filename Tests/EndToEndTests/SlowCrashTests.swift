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
@MainActor @Suite(.timeLimit(.minutes(10))) struct SlowCrashTests {
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
        configuration.limits.turnTimeout = .seconds(3)
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

    @Test("A crash in a turn that takes longer than the turn limit is reported as a crash, not as a long turn")
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

    @Test("A crash in an effect that takes longer than the heartbeat timeout is reported as a crash, not as a hang")
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

    @Test("The status says that a crash report is being written, and a signal from outside still ends the worker")
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

    @Test("Writing a crash report has a timeout, after which the worker is ended with the crash as the cause")
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
