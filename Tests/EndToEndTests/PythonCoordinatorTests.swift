import Foundation
import LatticeClient
import LatticeCore
import LatticeTestSupport
import Testing

/// `latticectl` and a client at `Protocols/coordinator.py`: what the protocol's text says is enough for a coordinator
/// in any language, and the tools need no more than that.
///
/// `LATTICE_PYTHON` in the environment names an interpreter that has cbor2.
@MainActor
@Suite(
    .enabled(if: ProcessInfo.processInfo.environment["LATTICE_PYTHON"] != nil),
    .timeLimit(.minutes(10))
)
struct PythonCoordinatorTests {
    /// The declaration of the feature that the Python program hosts.
    private enum Ledger: HostedFeature {
        enum Action: Codable, Sendable {
            case add(Int)
            case addLater(Int)
            case fail(String)
        }

        struct Page: Codable, Equatable, Sendable {
            var names: [String] = []
            var sum = 0
        }

        static let identifier = "ledger"
        static func initialDomainState(in context: HostContext) -> Page { Page() }

        /// Never asked for here.
        static func interactor(in context: HostContext) -> Interact<Page, Action> { Interact { _, _ in .none } }
        static func reducer() -> BuildViewState<Page, Page> { .asItIs }
    }

    private func latticectl(_ arguments: String..., at path: String) async throws -> Programs.Run {
        let all = arguments + ["--socket", path, "--timeout", "30"]
        return try await Programs.run(Programs.path("latticectl"), all, takesErrors: true)
    }

    /// Starts the program, and expects that it ends in order with its input.
    private func withPythonCoordinator(_ body: (_ path: String) async throws -> Void) async throws {
        let python = try #require(ProcessInfo.processInfo.environment["LATTICE_PYTHON"])
        let program = "\(Programs.package.path)/Protocols/coordinator.py"
        try await withSocketPath { path in
            try await withProgram(python, [program, path], hears: true) { coordinator in
                try await coordinator.says("ready")
                try await body(path)
                try coordinator.stopTalking()
                #expect(await coordinator.end() == RunningProgram.End(reason: .exit, status: 0))
                for left in [path, "\(path).lock"] { #expect(!FileManager.default.fileExists(atPath: left)) }
            }
        }
    }

    @Test("It is found and described, with a section and a field that no tool knows")
    func described() async throws {
        try await withPythonCoordinator { path in
            let found = try await Programs.run("latticectl", "ps", "--json")
            #expect(found.status == 0 && found.output.contains(path))
            let sections = try await latticectl("describe", at: path)
            #expect(sections.status == 0 && sections.output.contains("The pages of the ledger."))
            let pages = try await latticectl("describe", "pages", at: path)
            #expect(pages.status == 0 && pages.output == "INK   LINES  PAGE\nblue      0     1\n")
            let ranked = try await latticectl("describe", "pages", "--sort", "ink", at: path)
            #expect(ranked.status == 64 && ranked.output.contains("The section is not ranked by ink."))
            #expect(try await latticectl("describe", "workers", at: path).status == 64)
            let clients = try await latticectl("describe", "instances", "--filter", "ledger", "--json", at: path)
            #expect(clients.status == 0 && clients.output.contains("\"subscribers\":0"))
        }
    }

    @Test("Its feature is read, changed and watched, and one of its events is cancelled")
    func used() async throws {
        try await withPythonCoordinator { path in
            #expect(try await latticectl("send", "ledger", #"{"add":{"_0":5}}"#, at: path).output == "finished\n")
            #expect(try await latticectl("send", "ledger", #"{"addLater":{"_0":2}}"#, at: path).output == "finished\n")
            #expect(try await latticectl("state", "ledger", "--path", "sum", at: path).output == "7\n")
            let failed = try await latticectl("send", "ledger", #"{"fail":{"_0":"no luck"}}"#, at: path)
            #expect(failed.status == 4 && failed.output == "failed: no luck\n")
            let wrong = try await latticectl("send", "ledger", #"{"fly":{}}"#, at: path)
            #expect(wrong.status == 3 && wrong.output.hasPrefix("rejected: The action cannot be decoded"))
            try await withProgram("latticectl", ["watch", "ledger", "--count", "1", "--socket", path]) { watching in
                _ = try await watching.line(containing: "watching from here")
                #expect(try await latticectl("send", "ledger", #"{"add":{"_0":1}}"#, at: path).status == 0)
                let change = await watching.restOfOutput()
                #expect(change.contains("sum: 7 → 8") && change.contains(", order 4\n"))
                let state = try await latticectl("state", "ledger", at: path)
                // The name of the event is that which the coordinator gave it.
                let line = try #require(change.split(separator: "\n").first { $0.contains("  event ") })
                let id = try #require(line.split(whereSeparator: { " ,".contains($0) }).dropFirst().first)
                #expect(state.output.contains("\"\(id)\""))
            }
            let unknown = try await latticectl("cancel", "ledger/nobody/1/1", at: path)
            #expect(unknown.status == 3 && unknown.output.contains("No such event is running."))
        }
    }

    @Test("top shows what it has, tail and restart say what it has not")
    func incomplete() async throws {
        try await withPythonCoordinator { path in
            let top = try await latticectl("top", "--once", "--interval", "0.1", "--table", "instances", at: path)
            #expect(top.status == 0 && top.output.contains("ledger"))
            let tail = try await latticectl("tail", at: path)
            #expect(tail.status != 0 && tail.output.contains("keeps no log"))
            let restart = try await latticectl("restart", "default", at: path)
            #expect(restart.status != 0 && restart.output.contains("There is no act restart."))
        }
    }

    @Test("A client shows its state, sends events, and is described")
    func clients() async throws {
        try await withPythonCoordinator { path in
            try await withClient(connectingTo: path) { client in
                let viewModel = try await client.viewModel(Ledger.self)
                let event = viewModel.sendViewEvent(.add(3))
                #expect(await event.finish() == .finished)
                #expect(viewModel.viewState.sum == 3)
                #expect(viewModel.viewState.names == [try #require(event.id).description])
                let failed = await viewModel.sendViewEvent(.fail("no")).finish()
                #expect(failed == .failed(EffectFailure(type: "Failure", message: "no")))
                let late = await viewModel.sendViewEvent(.addLater(1), deadline: .now + .milliseconds(10)).finish()
                #expect(late == .rejected(.deadlinePassed) || late.cancellation?.canceller == .deadline)
                let listed = try await latticectl("describe", "clients", "--json", at: path)
                #expect(listed.output.contains("\"processID\":\(ProcessInfo.processInfo.processIdentifier)"))
            }
        }
    }
}
