import Foundation
import LatticeConcurrency
import LatticeCoordinator
import LatticeCore
import LatticeTestSupport
import Testing

/// `latticectl state`, `watch` and `send`, at a coordinator of this process.
@MainActor @Suite(.timeLimit(.minutes(10))) struct FeatureCommandTests {
    private func latticectl(_ arguments: String...) async throws -> Programs.Run {
        try await Programs.run(Programs.path("latticectl"), arguments + ["--timeout", "30"], takesErrors: true)
    }

    @Test("An action is sent as JSON, its state is printed, and each change is watched")
    func commands() async throws {
        try await withSocketPath { path in
            let configuration = configuration(workers: Programs.path("unruly"))
            try await withCoordinator(hosting: UnrulyFeature.self, listeningAt: path, configuration: configuration) {
                coordinator in
                let viewModel = try await coordinator.viewModel(UnrulyFeature.self)
                let sent = try await latticectl("send", "unruly", #"{"add":{"_0":5}}"#, "--socket", path)
                #expect(sent.status == 0 && sent.output == "finished\n")
                #expect(viewModel.viewState == 5)
                #expect(try await latticectl("state", "unruly", "--socket", path).output == "5\n")
                let page = try await latticectl("state", "unruly", "--json", "--socket", path)
                #expect(page.output.contains("\"value\":5"))
                #expect(try await latticectl("state", "unruly", "--path", "a", "--socket", path).status == 3)
                let isOver = Locked(false)
                async let watched = {
                    defer { isOver.withLock { $0 = true } }
                    return try await latticectl("watch", "unruly", "--count", "3", "--json", "--socket", path)
                }()
                // Some of these changes come after the first state of the watcher.
                var ids: [String] = []
                while !isOver.withLock(\.self) {
                    let event = viewModel.sendViewEvent(.add(1))
                    #expect(await event.finish() == .finished)
                    if let id = event.id { ids.append("\(id)") }
                }
                let change = try await watched
                #expect(change.status == 0 && change.output.contains(#""changes":["state: "#))
                #expect(ids.contains { change.output.contains(#""event":"\#($0)""#) })
                let wrong = try await latticectl("send", "unruly", #"{"fly":{}}"#, "--socket", path)
                #expect(wrong.status == 3 && wrong.output.hasPrefix("rejected: "))
                let crash = try await latticectl("send", "unruly", #"{"exit":{"_0":3}}"#, "--socket", path)
                #expect(crash.status == 4 && crash.output.hasPrefix("interrupted: The worker exited with code 3"))
                let late = try await latticectl("send", "unruly", #"{"wait":{}}"#, "--wait", "0.05", "--socket", path)
                #expect(late.status == 5 && late.output.hasPrefix("running: "))
                let json = try await latticectl("send", "unruly", "{", "--socket", path)
                #expect(json.status == 64)
                let sum = try await latticectl("ask", "unruly", #"{"sum":{}}"#, "--socket", path)
                #expect(sum.status == 0 && sum.output == "{\"number\":{\"_0\":\(viewModel.viewState)}}\n")
                let threw = try await latticectl("ask", "unruly", #"{"fail":{}}"#, "--socket", path, "--json")
                #expect(threw.status == 4 && threw.output.contains(#""result":"threw""#))
                for wrong in [#"{"fly":{}}"#, "7"] {
                    let unfit = try await latticectl("ask", "unruly", wrong, "--socket", path)
                    #expect(unfit.status == 3 && unfit.output.hasPrefix("unanswered: "))
                }
                let marker = #"{"wait":{"marker":"\#(path).m"}}"#
                let slow = try await latticectl("ask", "unruly", marker, "--wait", "0.2", "--socket", path)
                #expect(slow.status == 3 && slow.output.contains("deadline"))
                let absent = try await latticectl("state", "nothing", "--socket", path)
                #expect(absent.status == 3 && absent.output.contains("It hosts: unruly."))
            }
        }
    }

    @Test("Control-C at a sent event cancels it, and so does its ID at another terminal", arguments: [false, true])
    func cancels(byID: Bool) async throws {
        try await withSocketPath { path in
            let configuration = configuration(workers: Programs.path("unruly"))
            try await withCoordinator(hosting: UnrulyFeature.self, listeningAt: path, configuration: configuration) {
                coordinator in
                _ = try await coordinator.viewModel(UnrulyFeature.self)
                let arguments = ["send", "unruly", #"{"wait":{}}"#, "--socket", path, "--json", "--timeout", "30"]
                try await withProgram("latticectl", arguments) { program in
                    let id = try await runningEvent(at: path)
                    if byID {
                        let done = try await latticectl("cancel", id, "--reason", "too slow", "--socket", path)
                        #expect(done.status == 0)
                    } else {
                        kill(program.identifier, SIGINT)
                    }
                    let output = await program.restOfOutput()
                    #expect(output.contains(#""outcome":"cancelled""#))
                    #expect(output.contains("too slow") == byID)
                    #expect(await program.end() == RunningProgram.End(reason: .exit, status: 4))
                }
            }
        }
    }

    /// Waits until an event of a client runs, and returns its ID.
    private func runningEvent(at path: String) async throws -> String {
        while true {
            let run = try await latticectl("describe", "events", "--json", "--socket", path)
            if let match = run.output.firstMatch(of: /"event":"([^"]+)"/) { return String(match.1) }
        }
    }
}
