import LatticeConcurrency
import LatticeCore
import LatticeTestSupport
import Testing

@testable import LatticeCoordinator

/// The orders of tools to end a worker, next to the orders of its group.
@Suite(.timeLimit(.minutes(10)))
struct LeaveOrderTests {
    private let groups = GroupSupervisorTests()

    @Test("A group that restarts shortens the drain for a tool to the time that it allows")
    func drainForTool() async throws {
        try await groups.withGroup(.test("g", .oneForAll), GroupSupervisorTests.three) {
            $0.drainTimeout = .milliseconds(1)
        } _: { bench in
            try await bench.untilAllServe()
            let running = try await bench["a"].startWaiting().running
            let drained = try bench["a"].supervisor
            async let end = drained.end(.drain(by: "Ada", within: .seconds(3600)))
            try await bench["a"].until("restarting")
            try bench["b"].launcher.kill()
            for name in ["a", "b", "c"] { try await bench[name].until("serving, incarnation 2") }
            #expect(await running.finish() == .interrupted(Interruption(cause: .requested(by: "Ada"), incarnation: 1)))
            #expect(await end == .ended(incarnation: 1, processID: 101))
        }
    }

    @Test("Each order to end a worker that drains shortens the drain to its own time", arguments: [0, 1])
    func orders(milliseconds: Int) async throws {
        try await groups.withGroup(.test("g", .oneForOne), GroupSupervisorTests.three) { bench in
            try await bench.untilAllServe()
            _ = try await bench["a"].startWaiting()
            let (supervisor, first) = try (bench["a"].supervisor, LeaveOrder.drain(by: "Ada", within: .seconds(3600)))
            let second: LeaveOrder =
                milliseconds == 0 ? .restart(by: "Bob") : .drain(by: "Bob", within: .milliseconds(milliseconds))
            // The second order arrives before the phase shows the first one, or afterwards.
            #expect(supervisor.core.withLock(\.permit).end.complete(first))
            #expect(await supervisor.end(second) == .ended(incarnation: 1, processID: 101))
            try await bench["a"].until("serving, incarnation 2")
        }
    }

    @Test("A cancelled caller stops waiting, its order stays in force, and it does not count as done")
    func cancelledOrder() async throws {
        try await groups.withGroup(.test("g", .oneForOne), GroupSupervisorTests.three) { bench in
            try await bench.untilAllServe()
            let (running, gate) = try await bench["a"].startWaiting()
            let supervisor = try bench["a"].supervisor
            let order = Task { await supervisor.end(.drain(by: "Ada", within: .seconds(3600))) }
            try await bench["a"].until("restarting")
            order.cancel()
            let end = await order.value
            #expect(end == .ending(incarnation: 1, processID: 101) && !end.isDone)
            Gates.open(gate)
            #expect(await running.finish() == .finished)
            try await bench["a"].until("serving, incarnation 2")
        }
    }
}
