import Foundation
import LatticeControl
import LatticeCoordinator
import LatticeCore
import LatticeTestSupport
import Logging
import Testing

/// `latticectl tail`, at coordinators of this process.
@MainActor @Suite(.timeLimit(.minutes(10))) struct TailTests {
    private func latticectl(_ arguments: String...) async throws -> Programs.Run {
        try await Programs.run(Programs.path("latticectl"), arguments + ["--timeout", "30"], takesErrors: true)
    }

    /// Runs `latticectl tail --json --no-follow` and returns the records.
    private func records(_ arguments: String...) async throws -> [[String: Any]] {
        let all = ["tail", "--json", "--no-follow", "--timeout", "30"] + arguments
        let run = try await Programs.run(Programs.path("latticectl"), all)
        #expect(run.status == 0)
        return try run.output.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }

    private func with(
        _ body: @MainActor (Coordinator, String, ViewModel<UnrulyFeature>) async throws -> Void
    ) async throws {
        let log = BlockableLog()
        try await withSocketPath { path in
            var configuration = configuration(workers: Programs.path("unruly"))
            configuration.logger = Logger(label: "test") { _ in log.handler }
            // On a busy machine as well.
            configuration.heartbeatTimeout = .seconds(60)
            try await withCoordinator(hosting: UnrulyFeature.self, listeningAt: path, configuration: configuration) {
                coordinator in
                try await body(coordinator, path, try await coordinator.viewModel(UnrulyFeature.self))
            }
        }
    }

    @Test("What a worker logs in an event, prints, and its crashes are in the log, and are found by the event's ID")
    func crash() async throws {
        try await with { coordinator, path, viewModel in
            let process = try servingProcess(viewModel)
            let poison = viewModel.sendViewEvent(.logAndCrash("out of patience"))
            guard case .rejected = await poison.finish() else {
                Issue.record("It ended \(String(describing: poison.outcome)).")
                return
            }
            let id = try #require(poison.id).description
            // A line of output can arrive late.
            var (found, logged, ends) = ([[String: Any]](), [[String: Any]](), [[String: Any]]())
            try await poll {
                found = try await records("--id", id, "--lines", "100", "--socket", path)
                logged = found.filter { $0["label"] as? String == "unruly" }
                ends = found.filter { $0["kind"] as? String == "workerTerminated" }
                return logged.count == 2 && ends.count == 2
            }
            #expect(logged.allSatisfy { $0["message"] as? String == "out of patience" })
            #expect(logged.first?["processID"] as? Int32 == process && logged.first?["level"] as? String == "warning")
            #expect(ends.map { $0["incarnation"] as? Int } == [1, 2])
            let details = ends.first?["details"] as? [String] ?? []
            // A report of Swift's runtime takes the place of the lines before it.
            #expect(
                details.contains { $0.contains("printed: out of patience") || $0.contains("Program crashed: ") },
                "\(details)"
            )
            #expect(found.contains { $0["kind"] as? String == "eventQuarantined" })
            // All of them are about the feature, because the event is.
            let ofFeature = try await records("--id", id, "--feature", "unruly", "--lines", "100", "--socket", path)
            #expect(ofFeature.count >= found.count)
            // Without the ID, the printed lines are there too, and a worker is chosen by its process.
            try await poll {
                try await records("--worker", "\(process)", "--lines", "5000", "--socket", path)
                    .count { $0["message"] as? String == "printed: out of patience" } == 1
            }
            let severe = try await records("--level", "error", "--lines", "5000", "--socket", path)
            #expect(!severe.isEmpty && severe.allSatisfy { $0["level"] as? String == "error" })
            #expect(try await records("--feature", "nothing", "--socket", path).isEmpty)
            #expect(try await records("--lines", "2", "--socket", path).count == 2)
            #expect(coordinator.clients.isEmpty)
        }
    }

    @Test("More records than one answer has are read to the end, in their order")
    func pages() async throws {
        let log = BlockableLog()
        let count = 1500
        try await withWorkerScript("seq 1 \(count); exec \"\(Programs.path("unruly"))\"") { executable in
            try await withSocketPath { path in
                var configuration = configuration(workers: executable)
                configuration.logger = Logger(label: "test") { _ in log.handler }
                // On a busy machine as well.
                configuration.heartbeatTimeout = .seconds(60)
                try await withCoordinator(
                    hosting: UnrulyFeature.self,
                    listeningAt: path,
                    configuration: configuration
                ) { coordinator in
                    _ = try await coordinator.viewModel(UnrulyFeature.self)
                    try await poll {
                        let numbers = try await records("--lines", "5000", "--socket", path)
                            .compactMap { ($0["message"] as? String).flatMap { Int($0) } }
                        // A worker that started again has printed them again.
                        return numbers.suffix(count) == Array(1...count)[...]
                    }
                }
            }
        }
    }

    @Test("New records are shown as they come, until the command is interrupted")
    func follow() async throws {
        try await with { _, path, viewModel in
            try await withProgram("latticectl", ["tail", "--socket", path, "--timeout", "60"]) { tail in
                viewModel.sendViewEvent(.print("first", thenCrash: false))
                let line = try await tail.line(containing: "first")
                #expect(line.contains("info     default[\(try servingProcess(viewModel))]: first"))
                #expect(!line.contains("\u{1b}"))
                viewModel.sendViewEvent(.print("second", thenCrash: false))
                _ = try await tail.line(containing: "second")
            }
        }
    }

    @Test("A refusal, a missing coordinator and wrong use have exit codes of their own")
    func exitCodes() async throws {
        try await withSocketPath { path in
            var configuration = configuration(workers: Programs.path("unruly"))
            configuration.controlPermission = { _ in .nothing("This coordinator is private.") }
            try await withCoordinator(hosting: UnrulyFeature.self, listeningAt: path, configuration: configuration) {
                _ in
                let refused = try await latticectl("tail", "--socket", path)
                #expect(refused.status == 2)
                #expect(refused.output == "latticectl: This coordinator is private.\n")
            }
            #expect(try await latticectl("tail", "--socket", path).status == 1)
            for wrong in [["--level", "loud"], ["--lines", "5001"], ["--lines=-1"], ["--id", ""]] {
                let run = try await Programs.run(Programs.path("latticectl"), ["tail"] + wrong)
                #expect(run.status == 64, "\(wrong)")
            }
        }
    }
}
