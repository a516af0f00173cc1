#if os(Linux)
import Foundation
import LatticeCoordinator
import LatticeCore
import LatticeTestSupport
import Testing

/// Workers are of one build.
@MainActor @Suite(.timeLimit(.minutes(10))) struct BuildTests {
    @Test("A worker of another build is refused by name, is not started again, and costs no state (F74)")
    func anotherBuildIsRefused() async throws {
        try await withWorkerScript("echo >> \"$0.starts\"; exec \"$0.program\"") { script in
            let program = script + ".program"
            try await run("cp \"$0\" \"$1\"", Programs.path("counter"), program)
            try await withCoordinator(hosting: Counter.self, configuration: configuration(workers: script)) {
                let counter = try await $0.viewModel(Counter.self)
                #expect(await counter.sendViewEvent(.add(1)).finish() == .finished)
                let builds = try await OtherBuild(of: Programs.path("counter"), at: program)
                kill(try servingProcess(counter), SIGKILL)
                let outcome = await counter.sendViewEvent(.add(1)).finish()
                let reason =
                    "the worker was refused: the worker is of build \(builds.now), and this coordinator works"
                    + " with build \(builds.before); restart the coordinator to use the new build of the worker"
                #expect(outcome == .rejected(.closed))
                if case .rejected(let rejection) = outcome { #expect(rejection.reason == reason) }
                guard case .failed(let failure) = counter.hostStatus else {
                    Issue.record("not failed: \(counter.hostStatus)")
                    return
                }
                #expect(failure.reason == reason)
                #expect(try String(contentsOfFile: script + ".starts", encoding: .utf8) == "\n\n")
                // With the original program, the coordinator continues after a reset.
                try await run("cp \"$0\" \"$1.new\" && mv \"$1.new\" \"$1\"", Programs.path("counter"), program)
                await $0.resetWorker()
                #expect(await counter.sendViewEvent(.add(1)).finish() == .finished)
                #expect(counter.viewState == "sum 2")
            }
        }
    }

    @Test("A coordinator that starts its own program refuses every other build, even as its first worker (F74)")
    func anotherBuildThanItsOwn() async throws {
        try await withSocketPath { path in
            let builds = try await OtherBuild(of: Programs.path("faulty"), at: path + ".program")
            let arguments = ["--become", path + ".program"]
            try await FaultyCoordinator.with(listeningAt: path, worker: "own", arguments) { coordinator in
                try coordinator.say("go on")
                let lines = try await coordinator.lines.until { $0.count > 2 }
                #expect(
                    lines.prefix(3) == [
                        "waiting", "listening",
                        "No worker serves \"counter\": the worker was refused: the worker is of build \(builds.now), and"
                            + " this coordinator works with build \(builds.before); restart the coordinator to use the"
                            + " new build of the worker",
                    ]
                )
            }
        }
    }
}
#endif
