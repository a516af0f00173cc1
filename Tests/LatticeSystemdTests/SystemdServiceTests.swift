import LatticeConcurrency
import LatticeTestSupport
import Testing

@testable import LatticeSystemd

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Tests a service whose manager is a socket of the test. It is stopped by SIGUSR1 and reloaded by SIGUSR2, so that
/// the signals of the test program keep their meaning. Each signal has one listener in a process, so the tests run one
/// after the other.
@Suite(.timeLimit(.minutes(10)), .serialized) struct SystemdServiceTests {
    private struct Unreadable: Error, CustomStringConvertible {
        let description = "line 3 has no key"
    }

    private static func watchdog(_ microseconds: Int64) throws -> SystemdWatchdog? {
        try SystemdWatchdog(["WATCHDOG_USEC": "\(microseconds)"], process: 1)
    }

    private func run(
        _ manager: FakeManager,
        _ watchdog: SystemdWatchdog? = nil,
        reload: (@Sendable () async throws -> Void)? = nil,
        probe: @escaping @Sendable () async -> [String] = { [] },
        while body: () async throws -> Void
    ) async throws {
        let service = SystemdService(notifier: try SystemdNotifier(address: manager.address), watchdog: watchdog)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await service.run(stoppedBy: [SIGUSR1], reloadedBy: SIGUSR2, reload: reload, probe: probe)
            }
            try await manager.until("READY=1")
            try await body()
            kill(getpid(), SIGUSR1)
            try await group.waitForAll()
        }
    }

    @Test("A service is ready, and stops after a signal")
    func stops() async throws {
        try await FakeManager.with { manager in
            try await run(manager) {}
            try await manager.until("STOPPING=1")
            #expect(manager.messages.value == ["READY=1\nSTATUS=Running.", "STOPPING=1\nSTATUS=Stopping."])
        }
    }

    @Test("A service whose task is cancelled stops too")
    func cancelled() async throws {
        try await FakeManager.with { manager in
            let service = SystemdService(notifier: try SystemdNotifier(address: manager.address), watchdog: nil)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await service.run(stoppedBy: [SIGUSR1], reloadedBy: SIGUSR2, reload: nil) { [] }
                }
                try await manager.until("READY=1")
                group.cancelAll()
                try await group.waitForAll()
            }
            try await manager.until("STOPPING=1")
        }
    }

    @Test("The watchdog is fed while the probe finds nothing, and not while it finds something")
    func watchdog() async throws {
        try await FakeManager.with { manager in
            let problems = Locked<[String]>([])
            let probes = Watched(0)
            let probe: @Sendable () async -> [String] = {
                probes.change { $0 += 1 }
                return problems.withLock(\.self)
            }
            try await run(manager, try Self.watchdog(3_000), probe: probe) {
                try await manager.until("WATCHDOG=1", count: 3)
                problems.withLock { $0 = ["The worker \"default\" does not answer."] }
                try await manager.until("STATUS=The worker \"default\" does not answer.")
                let before = manager.lines.count { $0 == "WATCHDOG=1" }
                let count = probes.value
                try await probes.until { $0 >= count + 5 }
                #expect(manager.lines.count { $0 == "WATCHDOG=1" } == before)
                problems.withLock { $0 = [] }
                try await manager.until("WATCHDOG=1", count: before + 2)
                try await manager.until("STATUS=Running.", count: 2)
            }
        }
    }

    @Test("A probe that hangs sends no ping, and the service still stops")
    func hangs() async throws {
        try await FakeManager.with { manager in
            let (gate, asked) = (OneShot<Void>(), OneShot<Void>())
            let probe: @Sendable () async -> [String] = {
                asked.complete(())
                // The wait does not end with the service, like that for an event loop that is blocked.
                await gate.wait()
                return []
            }
            try await run(manager, try Self.watchdog(3_000), probe: probe) { await asked.wait() }
            try await manager.until("STOPPING=1")
            #expect(!manager.lines.contains("WATCHDOG=1"))
            gate.complete(())
        }
    }

    @Test("A reload has a beginning and an end, and an error is the status")
    func reload() async throws {
        try await FakeManager.with { manager in
            let count = Locked(0)
            let reload: @Sendable () async throws -> Void = {
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                if number == 2 { throw Unreadable() }
            }
            try await run(manager, reload: reload) {
                kill(getpid(), SIGUSR2)
                try await manager.until("READY=1", count: 2)
                kill(getpid(), SIGUSR2)
                try await manager.until("STATUS=The configuration was not reloaded: line 3 has no key")
            }
            let kinds = manager.lines.filter { $0 == "RELOADING=1" || $0 == "READY=1" }
            #expect(kinds == ["READY=1", "RELOADING=1", "READY=1", "RELOADING=1", "READY=1"])
            #expect(manager.lines.count { $0.hasPrefix("MONOTONIC_USEC=") } == 2)
        }
    }

    @Test("Signals that another part of the program handles are an error that says what to do")
    func signalsTaken() async throws {
        try await FakeManager.with { manager in
            try await run(manager) {
                let service = SystemdService(notifier: nil, watchdog: nil)
                let error = await #expect(throws: SystemdError.self) {
                    try await service.run(stoppedBy: [SIGUSR1], reloadedBy: SIGUSR2, reload: nil) { [] }
                }
                #expect(error?.code == .signalsTaken)
                #expect(error?.message.contains("Pass `signals: []` to withCoordinator") == true)
            }
        }
    }

    @Test("A signal that is ignored does not matter while another one stops the service, except under a manager")
    func ignored() async throws {
        signal(SIGWINCH, SIG_IGN)
        defer { signal(SIGWINCH, SIG_DFL) }
        try await FakeManager.with { manager in
            let notifier = try SystemdNotifier(address: manager.address)
            for service in [nil, notifier].map({ SystemdService(notifier: $0, watchdog: nil) }) {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        try await service.run(stoppedBy: [SIGUSR1, SIGWINCH], reloadedBy: SIGUSR2, reload: nil) { [] }
                    }
                    if service.notifier != nil { try await manager.until("READY=1") }
                    group.cancelAll()
                    try await group.waitForAll()
                }
            }
            // A manager sends the first signal, and the one for a reload.
            for (stops, hangUp) in [([SIGWINCH, SIGUSR1], SIGUSR2), ([SIGUSR1], SIGWINCH)] {
                let service = SystemdService(notifier: notifier, watchdog: nil)
                let error = await #expect(throws: SystemdError.self) {
                    try await service.run(stoppedBy: stops, reloadedBy: hangUp, reload: {}) { [] }
                }
                #expect(error?.code == .signalsTaken)
            }
        }
    }

    @Test("A signal that another part of the program handles is an error, although another one is free")
    func oneIsTaken() async throws {
        try await FakeManager.with { manager in
            try await run(manager) {
                let service = SystemdService(notifier: nil, watchdog: nil)
                let error = await #expect(throws: SystemdError.self) {
                    try await service.run(stoppedBy: [SIGWINCH, SIGUSR1], reloadedBy: SIGUSR2, reload: nil) { [] }
                }
                #expect(error?.code == .signalsTaken)
            }
        }
    }

    @Test("A reload that hangs does not keep the service from stopping, and nothing follows its last message")
    func reloadHangs() async throws {
        try await FakeManager.with { manager in
            let (gate, asked) = (OneShot<Void>(), OneShot<Void>())
            let reload: @Sendable () async throws -> Void = {
                asked.complete(())
                // The wait does not end with the service.
                await Task { await gate.wait() }.value
            }
            try await run(manager, reload: reload) {
                kill(getpid(), SIGUSR2)
                await asked.wait()
            }
            try await manager.until("STOPPING=1")
            gate.complete(())
            #expect(manager.messages.value.last == "STOPPING=1\nSTATUS=Stopping.")
            #expect(manager.lines.count { $0 == "READY=1" } == 1)
        }
    }

    @Test("Without a manager the service only waits for its signals")
    func alone() async throws {
        let service = SystemdService(notifier: nil, watchdog: nil)
        try await withThrowingTaskGroup(of: Void.self) { group in
            let ready = OneShot<Void>()
            group.addTask {
                ready.complete(())
                try await service.run(stoppedBy: [SIGUSR1], reloadedBy: SIGUSR2, reload: nil) { [] }
            }
            await ready.wait()
            group.cancelAll()
            try await group.waitForAll()
        }
    }
}
