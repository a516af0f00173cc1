import Foundation
import LatticeClient
import LatticeControl
import LatticeCoordinator
import LatticeCore
import LatticeTestSupport
import Testing

/// `latticectl restart`, `drain`, `cancel` and `quarantine`, at coordinators of this process.
@MainActor @Suite(.timeLimit(.minutes(10))) struct OperateTests {
    private func latticectl(_ arguments: String...) async throws -> Programs.Run {
        try await Programs.run(Programs.path("latticectl"), arguments + ["--timeout", "30"], takesErrors: true)
    }

    private func with(
        _ change: (inout CoordinatorConfiguration) -> Void = { _ in },
        _ body: @MainActor (Coordinator, String, ViewModel<UnrulyFeature>) async throws -> Void
    ) async throws {
        try await withSocketPath { path in
            var configuration = configuration(workers: Programs.path("unruly"))
            change(&configuration)
            try await withCoordinator(hosting: UnrulyFeature.self, listeningAt: path, configuration: configuration) {
                coordinator in
                try await body(coordinator, path, try await coordinator.viewModel(UnrulyFeature.self))
            }
        }
    }

    @Test("A restarted worker ends with the tool as the cause, keeps its state, and does not count as a crash")
    func restart() async throws {
        try await with { coordinator, path, viewModel in
            #expect(await viewModel.sendViewEvent(.add(5)).finish() == .finished)
            let process = try servingProcess(viewModel)
            let waiting = viewModel.sendViewEvent(.wait)
            // An event that the worker has not applied would be sent again.
            try await withControlClient(connectingTo: path, timeout: .seconds(60)) { control in
                try await poll { try await control.describe("instances").rows.first?["acknowledged"] == 2 }
            }
            let run = try await latticectl("restart", "default", "--socket", path)
            #expect(run.status == 0)
            #expect(run.output.contains("process \(process)"))
            guard case .interrupted(let interruption) = await waiting.finish(),
                case .requested(let requester) = interruption.cause
            else {
                Issue.record("The effect was not interrupted by the tool.")
                return
            }
            #expect(requester.contains("latticectl"))
            #expect(await viewModel.sendViewEvent(.add(2)).finish() == .finished)
            #expect(viewModel.viewState == 7)
            #expect(try servingProcess(viewModel) != process)
            let absent = try await latticectl("restart", "nobody", "--socket", path)
            #expect(absent.status == 3 && absent.output.contains("There are: default."))
        }
    }

    @Test("A drained worker first ends what runs, and new events wait for the next incarnation")
    func drain() async throws {
        try await withSocketPath { file in
            try await with { coordinator, path, viewModel in
                let process = try servingProcess(viewModel)
                let running = viewModel.sendViewEvent(.restUntil(file: file))
                async let drained = latticectl("drain", "\(process)", "--within", "60", "--socket", path)
                try await withControlClient(connectingTo: path, timeout: .seconds(60)) { control in
                    try await poll { try await control.describe("workers").rows.first?["state"] == "leaving" }
                }
                let waiting = viewModel.sendViewEvent(.add(3))
                _ = FileManager.default.createFile(atPath: file, contents: nil)
                #expect(await running.finish() == .finished)
                let end = try await drained
                #expect(end.status == 0)
                #expect(await waiting.finish() == .finished)
                #expect(viewModel.viewState == 3)
                #expect(try servingProcess(viewModel) != process)
            }
            try? FileManager.default.removeItem(atPath: file)
        }
    }

    @Test("A restart ends a drain that takes long, and a worker that hangs")
    func hasten() async throws {
        try await with {
            $0.teardownTimeout = .milliseconds(200)
        } _: { coordinator, path, viewModel in
            let waiting = viewModel.sendViewEvent(.wait)
            async let drained = latticectl("drain", "default", "--within", "3600", "--socket", path)
            try await withControlClient(connectingTo: path, timeout: .seconds(60)) { control in
                try await poll { try await control.describe("workers").rows.first?["state"] == "leaving" }
            }
            #expect(try await latticectl("restart", "default", "--socket", path).status == 0)
            let end = try await drained
            #expect(end.status == 0)
            guard case .interrupted = await waiting.finish() else { return #expect(Bool(false)) }
            #expect(await viewModel.sendViewEvent(.refuseToLeave).finish() == .finished)
            let process = try servingProcess(viewModel)
            let hanging = viewModel.sendViewEvent(.hang)
            #expect(try await latticectl("restart", "default", "--socket", path, "--json").status == 0)
            #expect(kill(process, 0) == -1 && errno == ESRCH)
            // The event was in a turn, so the next incarnation gets it again.
            hanging.cancel()
        }
    }

    @Test("Quarantined events are listed, sent again and dropped")
    func quarantine() async throws {
        try await withSocketPath { file in
            try await with { coordinator, path, viewModel in
                #expect(try await latticectl("quarantine", "list", "--socket", path).output.hasPrefix("No event"))
                for _ in 0..<2 {
                    guard case .rejected(let rejection) = await viewModel.sendViewEvent(.crash(unless: file)).finish()
                    else { return #expect(Bool(false)) }
                    #expect(rejection.code == .quarantined)
                }
                let ids = coordinator.quarantine.events.map { "\($0.id)" }
                let list = try await latticectl("quarantine", "--socket", path)
                #expect(list.status == 0 && list.output.contains(" \(ids[0]) "))
                _ = FileManager.default.createFile(atPath: file, contents: nil)
                #expect(try await latticectl("quarantine", "retry", ids[0], "--socket", path).status == 0)
                try await poll { viewModel.viewState == 1 }
                #expect(try await latticectl("quarantine", "drop", ids[1], "--socket", path).status == 0)
                #expect(coordinator.quarantine.events.isEmpty)
                #expect(try await latticectl("quarantine", "drop", ids[1], "--socket", path).status == 3)
            }
            try? FileManager.default.removeItem(atPath: file)
        }
    }

    @Test("A worker that was given up is started again by a restart")
    func revive() async throws {
        try await with {
            $0.restart.kind = .temporary
        } _: { coordinator, path, viewModel in
            kill(try servingProcess(viewModel), SIGKILL)
            try await poll { if case .failed = viewModel.hostStatus { true } else { false } }
            #expect(try await latticectl("drain", "default", "--socket", path).status == 3)
            #expect(try await latticectl("restart", "default", "--socket", path).status == 0)
            #expect(await viewModel.sendViewEvent(.add(1)).finish() == .finished)
        }
    }

    @Test("A coordinator that lets tools only look refuses to act")
    func refused() async throws {
        try await with {
            $0.controlPermission = { _ in .look("Ask Ada.") }
        } _: { _, path, _ in
            let run = try await latticectl("restart", "default", "--socket", path)
            #expect(run.status == 2 && run.output == "latticectl: Ask Ada.\n")
            #expect(try await latticectl("describe", "--socket", path).status == 0)
        }
    }
}
