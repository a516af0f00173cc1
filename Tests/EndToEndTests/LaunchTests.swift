import Foundation
import LatticeCoordinator
import LatticeCore
import LatticeTestSupport
import Logging
import Testing

/// Tests the start of workers and the files that they are started from.
@MainActor @Suite(.timeLimit(.minutes(10))) struct LaunchTests {
    @Test("A worker that cannot move its standard input ends with an error, and never runs as the application (F85)")
    func fewDescriptors() async throws {
        let log = BlockableLog()
        try await withWorkerScript("ulimit -n 5; exec \"\(Programs.path("counter"))\"") { path in
            var configuration = configuration(workers: path)
            configuration.restart.maximumFailedStarts = 0
            configuration.logger = Logger(label: "test") { _ in log.handler }
            let error = await #expect(throws: CoordinatorError.self) {
                try await withCoordinator(hosting: Counter.self, configuration: configuration) {
                    _ = try await $0.viewModel(Counter.self)
                }
            }
            #expect(error?.message.contains("exited with code 71") == true)
            #expect(
                log.lines.value.contains {
                    $0.hasPrefix(
                        "This process was started as a worker and cannot take its socket from standard input. Could not"
                            + " move standard input: Too many open files. Allow it more open files."
                    )
                }
            )
        }
    }

    #if os(Linux)
    enum Change: String, CaseIterable { case deleted, renamed, replaced }

    @Test("A worker's executable that is deleted, renamed or replaced costs no state (F74)", arguments: Change.allCases)
    func executableIsHeld(change: Change) async throws {
        try await withWorkerScript("") { script in
            let file = URL(fileURLWithPath: script)
            let program = file.deletingLastPathComponent().appendingPathComponent("counter")
            // A link would do for the kernel; a copy is what people replace.
            try await run("cp \"$0\" \"$1\"", Programs.path("counter"), program.path)
            try await survives(change, of: program)
        }
    }

    @Test("A worker that is a script is restarted from its original file (F74)", arguments: Change.allCases)
    func scriptIsHeld(change: Change) async throws {
        try await withWorkerScript("exec \"\(Programs.path("counter"))\"") { script in
            try await survives(change, of: URL(fileURLWithPath: script))
        }
    }

    @Test(
        "A program that is deleted, renamed or replaced before its coordinator starts still has workers (F74)",
        arguments: Change.allCases
    )
    func ownExecutableIsHeld(change: Change) async throws {
        try await withSocketPath { path in
            let program = path + ".program"
            try await run("cp \"$0\" \"$1\"", Programs.path("faulty"), program)
            try await FaultyCoordinator.with(program, listeningAt: path, worker: "own") { coordinator in
                try await coordinator.until("waiting")
                try await make(change, of: URL(fileURLWithPath: program))
                try coordinator.say("go on")
                try await coordinator.until("listening")
                try coordinator.say("add")
                try await coordinator.until("finished sum 1")
            }
        }
    }

    private func make(_ change: Change, of program: URL) async throws {
        switch change {
        case .deleted: try FileManager.default.removeItem(at: program)
        case .renamed: try FileManager.default.moveItem(at: program, to: program.appendingPathExtension("old"))
        case .replaced:
            try FileManager.default.removeItem(at: program)
            try await writeScript("exit 9", to: program.path)
        }
    }

    private func survives(_ change: Change, of program: URL) async throws {
        try await withCoordinator(hosting: Counter.self, configuration: configuration(workers: program.path)) {
            let viewModel = try await $0.viewModel(Counter.self)
            #expect(await viewModel.sendViewEvent(.add(1)).finish() == .finished)
            try await make(change, of: program)
            kill(try servingProcess(viewModel), SIGKILL)
            #expect(await viewModel.sendViewEvent(.add(1)).finish() == .finished)
            #expect(viewModel.viewState == "sum 2")
        }
    }
    #endif
}
