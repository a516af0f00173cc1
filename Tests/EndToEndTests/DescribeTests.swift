import Distributed
import Foundation
import LatticeActors
import LatticeClient
import LatticeControl
import LatticeCoordinator
import LatticeCore
import LatticeTestSupport
import Testing

@testable import actorhost

/// `latticectl ps` and `latticectl describe`, at coordinators of this process and of others.
@MainActor @Suite(.timeLimit(.minutes(10))) struct DescribeTests {
    /// Runs `latticectl` and returns what it prints as JSON. The coordinators may be slow on a busy machine.
    private func rows(_ arguments: String...) async throws -> [[String: Any]] {
        let run = try await Programs.run(Programs.path("latticectl"), arguments + ["--timeout", "20", "--json"])
        #expect(run.status == 0)
        let page = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
        return try #require(page?["rows"] as? [[String: Any]])
    }

    @Test("A tally in another process is found, and describes its worker and its instance")
    func tally() async throws {
        try await withSocketPath { path in
            // A folder that is never counted to its end.
            try await withProgram("tally", ["/usr", "--json", "--socket", path], isRead: false) { tally in
                try await poll {
                    let run = try await Programs.run("latticectl", "ps", "--socket", path)
                    return run.status == 0 && run.output.contains("running")
                }
                let listed = try #require(try await rows("ps").first { $0["socket"] as? String == path })
                #expect(listed["processID"] as? Int32 == tally.identifier)
                #expect(listed["program"] as? String == "tally" && listed["state"] as? String == "running")
                let chosen = try await rows("describe", "coordinator", "--coordinator", "\(tally.identifier)")
                #expect(chosen.first?["socket"] as? String == path)
                let worker = try #require(try await rows("describe", "workers", "--socket", path).first)
                let process = try #require(worker["processID"] as? Int32)
                #expect(try children(of: tally.identifier).contains(process))
                #expect(worker["residentBytes"] as? Int ?? 0 > 1 << 20)
                #expect(
                    try await rows("describe", "instances", "--socket", path).first?["feature"] as? String == "tally"
                )
                // A stopped coordinator ends the command in time.
                stop(tally.identifier)
                let arguments = ["describe", "workers", "--socket", path, "--timeout", "0.2"]
                let silent = try await Programs.run(Programs.path("latticectl"), arguments, takesErrors: true)
                #expect(silent.status == 1)
                #expect(silent.output.contains("does not answer"))
            }
        }
    }

    @Test("Changes are printed as they come, as JSON and as lines", arguments: [true, false])
    func follows(asJSON: Bool) async throws {
        try await withSocketPath { path in
            try await withCoordinator(hosting: UnrulyFeature.self, listeningAt: path) { _ in
                // The processor time of the coordinator grows while it describes itself.
                let program = Programs.path("latticectl")
                let command = "\(program) describe coordinator --follow --interval 0.1 --timeout 30 --socket \(path)"
                let pipe = "\(command)\(asJSON ? " --json" : "") | grep -m 2 changed"
                let run = try await Programs.run("/bin/sh", ["-c", pipe], takesErrors: true)
                let lines = run.output.split(separator: "\n")
                guard asJSON else {
                    #expect(lines.count == 2 && lines.allSatisfy { $0.hasSuffix(" changed") })
                    return
                }
                let rows = lines.compactMap { line -> [String: Any]? in
                    let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                    #expect(object?["change"] as? String == "changed")
                    return object?["row"] as? [String: Any]
                }
                #expect(rows.map { $0["processID"] as? Int32 } == [getpid(), getpid()])
            }
        }
    }

    @Test("A killed worker is described with its next incarnation and the cause of its end")
    func terminations() async throws {
        try await withSocketPath { path in
            let configuration = configuration(workers: Programs.path("unruly"))
            try await withCoordinator(hosting: UnrulyFeature.self, listeningAt: path, configuration: configuration) {
                coordinator in
                let viewModel = try await coordinator.viewModel(UnrulyFeature.self)
                let process = try servingProcess(viewModel)
                kill(process, SIGKILL)
                try await withControlClient(connectingTo: path, timeout: .seconds(60)) { control in
                    try await poll {
                        let worker = try await control.describe("workers").rows.first
                        return worker?["state"] == "serving" && worker?["restarts"] == 1
                    }
                    let end = try #require(try await control.describe("terminations").rows.first)
                    #expect(end["processID"]?.int == Int(process))
                    #expect(end["cause"] == "killed by signal 9 (SIGKILL)" && end["then"] == "restart")
                    #expect(end["delayMilliseconds"]?.int ?? .max <= 10)
                    let worker = try #require(try await control.describe("workers").rows.first)
                    #expect(worker["terminations"]?.elements?.first?["processID"]?.int == Int(process))
                    let own = try #require(try await control.describe("coordinator").rows.first)
                    #expect(own["processID"]?.int == Int(getpid()) && own["userID"]?.int == Int(geteuid()))
                    #expect(own["socket"]?.string == path && own["workers"] == 1 && own["clients"] == 0)
                    #expect(coordinator.clients.isEmpty)
                    let client = try await withClient(connectingTo: path) { client in
                        _ = try await client.viewModel(UnrulyFeature.self)
                        return try await control.describe("clients").rows.first
                    }
                    #expect(client?["processID"]?.int == Int(getpid()))
                    #expect(client?["program"]?.string?.hasPrefix("/") == true)
                }
            }
        }
    }

    @Test("Actors with names, and the calls that have no answer, are described by process")
    func actors() async throws {
        try await withSocketPath { path in
            var configuration = configuration(workers: Programs.path("actorhost"))
            configuration.groups = [WorkerGroup("subjects", workers: 2)]
            try await withCoordinator(listeningAt: path, configuration: configuration) { coordinator in
                let system = LatticeActorSystem(coordinator)
                let own = Subject(in: "own", actorSystem: system)
                try await withClient(connectingTo: path) { client in
                    let subject = try await LatticeActorSystem(client)
                        .resolve(Subject.self, named: "subject", within: .seconds(60))
                    let process = try await subject.process()
                    let call = Task.immediate { try await subject.wait() }
                    try await withControlClient(connectingTo: path, timeout: .seconds(60)) { control in
                        // Both workers publish their actor.
                        try await poll { try await control.describe("actors", containing: "subject").total >= 4 }
                        let all = try await control.describe("actors").rows
                        #expect(Set(all.map { $0["name"] }) == ["subject", "lattice.jobs.runner/subjects"])
                        let actors = all.filter { $0["name"] == "subject" }
                        #expect(actors.count == 2 && actors.allSatisfy { $0["found"] == true })
                        #expect(Set(actors.compactMap { $0["node"]?.string }).count == 2)
                        #expect(actors.contains { $0["processID"]?.int == Int(process) })
                        try await poll {
                            // The age grows from the first description that saw the call.
                            let rows = try await control.describe("calls", sortedBy: "unansweredMilliseconds").rows
                            guard let first = rows.first, first["unansweredMilliseconds"]?.int ?? 0 > 0 else {
                                return false
                            }
                            #expect(first["processID"]?.int == Int(process) && first["received"] == 1)
                            #expect(first["process"]?.string?.hasPrefix("worker \"subjects") == true)
                            #expect(rows.map { $0["made"]?.int ?? 0 }.reduce(0, +) == 1)
                            return true
                        }
                        let coordinator = try await control.describe("coordinator").rows.first
                        #expect(coordinator?["actors"]?.int ?? 0 >= 1)
                    }
                    call.cancel()
                    _ = try? await call.value
                }
                withExtendedLifetime(own) {}
            }
        }
    }

    @Test("A refusal, a wrong section, a missing coordinator and wrong use have exit codes of their own")
    func exitCodes() async throws {
        try await withSocketPath { path in
            var configuration = configuration(workers: Programs.path("unruly"))
            configuration.controlPermission = { _ in .nothing("This coordinator is private.") }
            try await withCoordinator(hosting: UnrulyFeature.self, listeningAt: path, configuration: configuration) {
                _ in
                let refused = try await latticectl("describe", "--socket", path)
                #expect(refused.status == 2)
                #expect(refused.output == "latticectl: This coordinator is private.\n")
                let listed = try await latticectl("ps", "--socket", path)
                #expect(listed.status == 0 && listed.output.contains("refused"))
            }
            let gone = try await latticectl("describe", "--socket", path)
            #expect(gone.status == 1)
            #expect(try await latticectl("ps", "--socket", path).status == 1)
            try await withCoordinator(hosting: UnrulyFeature.self, listeningAt: path, configuration: .init()) { _ in
                #expect(try await latticectl("describe", "nothing", "--socket", path).status == 64)
                #expect(try await latticectl("describe", "workers", "--sort", "x", "--socket", path).status == 64)
                let table = try await latticectl("describe", "--socket", path)
                #expect(table.status == 0)
                #expect(table.output.hasPrefix("SECTION       ROWS  ABOUT ") && !table.output.contains("\u{1b}"))
            }
            #expect(try await latticectl("describe", "--limit", "0").status == 64)
            #expect(try await latticectl("describe", "--socket", path, "--coordinator", "x").status == 64)
        }
    }

    private func latticectl(_ arguments: String...) async throws -> Programs.Run {
        try await Programs.run(Programs.path("latticectl"), arguments + ["--timeout", "20"], takesErrors: true)
    }
}
