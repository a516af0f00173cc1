import Foundation
import LatticeCoordinator
import LatticeCore
import LatticeTestSupport
import Testing

@testable import LatticeSystemd

/// Tests a coordinator under a socket that plays systemd.
@MainActor @Suite(.timeLimit(.minutes(10))) struct SystemdTests {
    @Test("A coordinator feeds the watchdog while its supervisor has patience with a silent worker, and stops")
    func watchdog() async throws {
        let manager = try FakeManager(at: "@lattice-systemd-\(UInt64.random(in: 0...(.max)))")
        let service = SystemdService(
            notifier: try SystemdNotifier(address: manager.address),
            watchdog: try SystemdWatchdog(["WATCHDOG_USEC": "60000"], process: 1)
        )
        var configuration = configuration(workers: Programs.path("unruly"))
        configuration.heartbeatInterval = .milliseconds(100)
        // The worker is stopped for a moment, and not ended.
        configuration.heartbeatTimeout = .seconds(100)
        let workers = EventList()
        configuration.observers = [workers.observer(of: [.workerUnresponsive, .workerResponsive])]
        try await withCoordinator(hosting: UnrulyFeature.self, configuration: configuration) { coordinator in
            let viewModel = try await coordinator.viewModel(UnrulyFeature.self)
            let process = try servingProcess(viewModel)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await service.run(stoppedBy: [], reloadedBy: SIGHUP, reload: nil) {
                        await coordinator.unresponsiveWorkers()
                    }
                }
                try await manager.until("WATCHDOG=1", count: 2)
                kill(process, SIGSTOP)
                try await workers.until(.workerUnresponsive)
                let before = manager.lines.count { $0 == "WATCHDOG=1" }
                try await manager.until("WATCHDOG=1", count: before + 3)
                kill(process, SIGCONT)
                try await workers.until(.workerResponsive)
                group.cancelAll()
                try await group.waitForAll()
            }
            try await manager.until("STOPPING=1")
            #expect(!manager.lines.contains { $0.hasPrefix("STATUS=The worker") })
        }
    }
}
