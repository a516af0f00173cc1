import Foundation
import LatticeCoordinator
import LatticeCore
import LatticeTestSupport
import Logging
import Testing

/// Tests the output of workers.
@MainActor @Suite(.timeLimit(.minutes(10))) struct OutputTests {
    @Test("Neither the replacement of a killed worker nor the end waits for a log that is not read (F73)")
    func aBlockedLogBlocksNothing() async throws {
        let log = BlockableLog()
        defer { log.unblock() }
        let script = """
            head -c 1000000 /dev/zero | tr '\\0' x | fold -w 100 >&2
            exec "\(Programs.path("counter"))"
            """
        try await withWorkerScript(script) { path in
            var configuration = configuration(workers: path)
            configuration.logger = Logger(label: "test") { _ in log.handler }
            log.block()
            try await withCoordinator(hosting: Counter.self, configuration: configuration) { coordinator in
                let viewModel = try await coordinator.viewModel(Counter.self)
                kill(try servingProcess(viewModel), SIGKILL)
                #expect(await viewModel.sendViewEvent(.add(1)).finish() == .finished)
                #expect(viewModel.viewState == "sum 1")
            }
            #expect(log.lines.value.isEmpty)
        }
    }

    @Test func outputReachesTheLogWithTheWorkersName() async throws {
        let log = BlockableLog()
        try await withWorkerScript("echo hello; exec \"\(Programs.path("counter"))\"") { path in
            var configuration = configuration(workers: path)
            configuration.logger = Logger(label: "test") { _ in log.handler }
            try await withCoordinator(hosting: Counter.self, configuration: configuration) { coordinator in
                let viewModel = try await coordinator.viewModel(Counter.self)
                let process = try servingProcess(viewModel)
                try await log.lines.until { $0.contains("hello incarnation=1 worker=\(process)") }
            }
        }
    }

    @Test("Output of an effect reaches the log while the effect runs, also if it crashes right afterwards")
    func printedLines() async throws {
        let log = BlockableLog()
        var configuration = configuration(workers: Programs.path("unruly"))
        configuration.logger = Logger(label: "test") { _ in log.handler }
        // On a busy machine as well.
        configuration.heartbeatTimeout = .seconds(60)
        try await withCoordinator(hosting: UnrulyFeature.self, configuration: configuration) { coordinator in
            let viewModel = try await coordinator.viewModel(UnrulyFeature.self)
            let waiting = viewModel.sendViewEvent(.print("it waits", thenCrash: false))
            try await log.lines.until { $0.contains { $0.hasPrefix("it waits incarnation=1") } }
            #expect(waiting.outcome == nil)
            viewModel.sendViewEvent(.print("it crashes", thenCrash: true))
            try await log.lines.until { $0.contains { $0.hasPrefix("it crashes incarnation=1") } }
            _ = await waiting.finish()
        }
    }
}
