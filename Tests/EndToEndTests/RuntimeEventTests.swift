import Foundation
import LatticeCoordinator
import LatticeCore
import LatticeTestSupport
import Testing

/// Tests the events that a program observes while workers end.
@MainActor @Suite(.timeLimit(.minutes(10))) struct RuntimeEventTests {
    @Test("The death of a worker process is read as a list of events, with its cause and the interrupted event")
    func death() async throws {
        let (workers, events) = (EventList(), EventList())
        var configuration = configuration(workers: Programs.path("unruly"))
        configuration.observers = [workers.observer(of: .workers), events.observer(of: .events)]
        // On a busy machine as well.
        configuration.heartbeatTimeout = .seconds(60)
        configuration.heartbeatInterval = .seconds(60)
        var process: Int32 = 0
        try await withCoordinator(hosting: UnrulyFeature.self, configuration: configuration) { coordinator in
            let viewModel = try await coordinator.viewModel(UnrulyFeature.self)
            let waiting = viewModel.sendViewEvent(.wait)
            // This event comes after the other one. When it has ended, both are acknowledged.
            #expect(await viewModel.sendViewEvent(.add(1)).finish() == .finished)
            process = try servingProcess(viewModel)
            kill(process, SIGKILL)
            #expect(await waiting.finish() == .interrupted(Interruption(cause: .signal(SIGKILL), incarnation: 1)))
            try await workers.until(.workerServing, count: 2)
        }
        #expect(
            workers.lines == [
                "workerStarted 1", "workerServing 1",
                "workerTerminated 1, killed by signal 9 (SIGKILL), restart 1",
                "workerStarted 2", "workerServing 2",
                "workerTerminated 2, exited with code 0, stop",
            ]
        )
        #expect(
            events.lines == [
                "eventSent 1", "eventSent 2", "eventEnded 2, finished",
                "eventEnded 1, interrupted: killed by signal 9 (SIGKILL) (incarnation 1)",
            ]
        )
        let ends = workers.events.value.compactMap { if case .workerTerminated(let end) = $0 { end } else { nil } }
        let end = try #require(ends.first)
        #expect(end.worker.processID == process && end.report?.processID == process)
    }

    @Test("The output of a worker reaches observers with its worker, and a crash with its report")
    func output() async throws {
        let list = EventList()
        var configuration = configuration(workers: Programs.path("unruly"))
        configuration.observers = [list.observer(of: .output)]
        configuration.heartbeatTimeout = .seconds(60)
        try await withCoordinator(hosting: UnrulyFeature.self, configuration: configuration) { coordinator in
            let viewModel = try await coordinator.viewModel(UnrulyFeature.self)
            let process = try servingProcess(viewModel)
            _ = await viewModel.sendViewEvent(.print("it crashes", thenCrash: true)).finish()
            try await list.until(.workerCrashReported)
            let worker = RuntimeEvent.Worker(member: RuntimeEvent.Member(), incarnation: 1, processID: process)
            let line = RuntimeEvent.OutputLine(level: .info, text: "it crashes")
            try await list.events.until { $0.contains(.workerOutput(worker, line)) }
        }
    }
}
