import Foundation
import LatticeCoordinator
import LatticeCore
import LatticeTestSupport
import Observation
import Testing

@testable import subject

/// Tests the time limits for processes to start, answer and leave.
@MainActor @Suite(.timeLimit(.minutes(10))) struct EndingTests {
    @Test("A worker that leaves in order has teardownTimeout to end, although its watchdog waits less (F78)")
    func teardownLimitIsTheWorkers() async throws {
        try await withSocketPath { path in
            var configuration = configuration(workers: Programs.path("subject"))
            configuration.teardownTimeout = .seconds(20)
            configuration.workerEnvironment = ["SUBJECT_LEAVE": "900", "SUBJECT_LEFT": path + ".left"]
            try await withCoordinator(hosting: Subject.self, configuration: configuration) { coordinator in
                _ = try await coordinator.viewModel(Subject.self)
            }
            #expect(FileManager.default.fileExists(atPath: path + ".left"))
        }
    }

    @Test("Opening a view model whose worker never serves takes no longer than openTimeout (F77)")
    func openingIsBounded() async throws {
        var configuration = configuration(workers: "/usr/bin/sleep")
        configuration.workerArguments = ["60"]
        configuration.openTimeout = .milliseconds(200)
        // However long that takes on a busy machine.
        configuration.restart.bootTimeout = .seconds(170)
        let error = await #expect(throws: CoordinatorError.self) {
            try await withCoordinator(hosting: Counter.self, configuration: configuration) {
                _ = try await $0.viewModel(Counter.self)
            }
        }
        #expect(error?.code == .workerFailed)
        #expect(error?.message.contains("within 0.2 seconds") == true)
    }

    @Test("Waiting for a view model ends when its task is cancelled (F77)")
    func openingCanBeCancelled() async throws {
        var configuration = configuration(workers: "/usr/bin/sleep")
        configuration.workerArguments = ["60"]
        configuration.openTimeout = .seconds(3600)
        try await withCoordinator(hosting: Counter.self, configuration: configuration) { coordinator in
            let opening = Task { _ = try await coordinator.viewModel(Counter.self) }
            opening.cancel()
            await #expect(throws: CancellationError.self) { try await opening.value }
        }
    }

    @Test("A hang is found after heartbeatInterval and heartbeatTimeout, also when they are short (F78)")
    func shortHeartbeatsHold() async throws {
        var configuration = configuration(workers: Programs.path("subject"))
        configuration.heartbeatInterval = .milliseconds(50)
        configuration.heartbeatTimeout = .milliseconds(600)
        try await withCoordinator(hosting: Subject.self, configuration: configuration) { coordinator in
            let viewModel = try await coordinator.viewModel(Subject.self)
            let process = try servingProcess(viewModel)
            stop(process)
            let start = ContinuousClock.now
            let event = viewModel.sendViewEvent(.add(1))
            // Neither the main actor nor the threads of tasks say when it is: all tests share them.
            let time = Watched<Duration?>(nil)
            Thread.detachNewThread {
                var ended = siginfo_t()
                waitid(P_PID, id_t(process), &ended, WEXITED | WNOWAIT)
                time.change { $0 = start.duration(to: .now) }
            }
            #expect(await event.finish() == .finished)
            // It was 15 seconds, since each look that came later than asked for stretched the limit.
            #expect(try #require(try await time.until { $0 != nil }) < .seconds(10))
            #expect(try servingProcess(viewModel) != process)
        }
    }

    @Test("A worker whose state takes several times heartbeatTimeout to encode is not treated as hung (F7)")
    func encodingIsNoHang() async throws {
        var configuration = configuration(workers: Programs.path("subject"))
        configuration.heartbeatInterval = .milliseconds(100)
        configuration.heartbeatTimeout = .seconds(3)
        try await withCoordinator(hosting: Subject.self, configuration: configuration) { coordinator in
            let viewModel = try await coordinator.viewModel(Subject.self)
            let process = try servingProcess(viewModel)
            let start = ContinuousClock.now
            #expect(await viewModel.sendViewEvent(.fill(elements: 100, millisecondsEach: 100)).finish() == .finished)
            #expect(start.duration(to: .now) > configuration.heartbeatTimeout * 3)
            #expect(viewModel.viewState == 100)
            #expect(try servingProcess(viewModel) == process)
        }
    }

    @Test("An event that is sent after a reset is accepted")
    func aResetIsDoneWhenItReturns() async throws {
        try await withSocketPath { path in
            let switchedOn = path + ".on"
            let manager = FileManager.default
            _ = manager.createFile(atPath: switchedOn, contents: nil)
            let script = "[ -e '\(switchedOn)' ] && exec '\(Programs.path("counter"))'"
            try await withWorkerScript(script) { worker in
                var configuration = configuration(workers: worker)
                configuration.restart.maximumFailedStarts = 0
                try await withCoordinator(hosting: Counter.self, configuration: configuration) { coordinator in
                    let viewModel = try await coordinator.viewModel(Counter.self)
                    for round in 1...3 {
                        try manager.removeItem(atPath: switchedOn)
                        kill(try servingProcess(viewModel), SIGKILL)
                        for await status in Observations({ viewModel.hostStatus }) {
                            if case .failed = status { break }
                        }
                        _ = manager.createFile(atPath: switchedOn, contents: nil)
                        // A second reset waits for the same start.
                        async let other = coordinator.resetWorker()
                        await coordinator.resetWorker()
                        #expect(await viewModel.sendViewEvent(.add(1)).finish() == .finished)
                        #expect(viewModel.viewState == "sum \(round)")
                        #expect(try await coordinator.viewModel(Counter.self) === viewModel)
                        _ = await other
                    }
                }
            }
        }
    }

    @Test(
        "A signal without a handler ends a program in order: the worker leaves and the socket file is removed (F31)",
        arguments: [SIGTERM, SIGINT, SIGHUP]
    )
    func signalsEndInOrder(signal: Int32) async throws {
        try await withSocketPath { path in
            let environment = ["SUBJECT_LEAVE": "0", "SUBJECT_LEFT": path + ".left"]
            try await withProgram("subject", [path], environment) { program in
                try await program.says("serving")
                #expect(FileManager.default.fileExists(atPath: path))
                kill(program.identifier, signal)
                #expect(await program.end() == .init(reason: .uncaughtSignal, status: signal))
                #expect(!FileManager.default.fileExists(atPath: path))
                #expect(FileManager.default.fileExists(atPath: path + ".left"))
            }
        }
    }

    @Test("Signals that a program ignores are left to it (F31)")
    func signalsAreLeftAlone() async throws {
        try await withSocketPath { path in
            try await withProgram("subject", [path], ["SUBJECT_SIGNALS": "none"]) { program in
                try await program.says("serving")
                kill(program.identifier, SIGTERM)
                #expect(await program.end() == .init(reason: .uncaughtSignal, status: SIGTERM))
                #expect(FileManager.default.fileExists(atPath: path))
            }
        }
    }
}
