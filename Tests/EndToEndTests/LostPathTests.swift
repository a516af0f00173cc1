import Foundation
import LatticeClient
import LatticeCoordinator
import LatticeCore
import LatticeTestSupport
import Logging
import Testing

/// Tests a coordinator whose socket file or lock is deleted while it serves.
@MainActor @Suite(.timeLimit(.minutes(10))) struct LostPathTests {
    private func withServing(
        _ body: (_ path: String, Coordinator, ViewModel<Counter>, BlockableLog) async throws -> Void
    ) async throws {
        try await withSocketPath { path in
            let log = BlockableLog()
            var configuration = configuration(workers: Programs.path("counter"))
            configuration.logger = Logger(label: "test") { _ in log.handler }
            try await withCoordinator(hosting: Counter.self, listeningAt: path, configuration: configuration) {
                let counter = try await $0.viewModel(Counter.self)
                #expect(await counter.sendViewEvent(.add(3)).finish() == .finished)
                try await body(path, $0, counter, log)
            }
        }
    }

    @Test(
        "A coordinator whose socket is deleted creates it again, and clients find it with its state (F75)",
        arguments: [true, false]
    )
    func deletedSocket(withItsFolder: Bool) async throws {
        try await withServing { path, coordinator, counter, log in
            try await withClient(connectingTo: path) { early in
                let mirror = try await early.viewModel(Counter.self)
                let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
                defer { try? FileManager.default.removeItem(atPath: folder + ".gone") }
                if withItsFolder {
                    // At once, as the coordinator may look at any moment.
                    try FileManager.default.moveItem(atPath: folder, toPath: folder + ".gone")
                } else {
                    try FileManager.default.removeItem(atPath: path)
                }
                let (what, verb) = withItsFolder ? ("\(path) and its lock", "were") : (path, "was")
                try await log.lines.until {
                    $0.contains(
                        "The socket \(what) \(verb) deleted or replaced, and \(verb) created again. No client was"
                            + " disconnected."
                    )
                }
                #expect(coordinator.listeningError == nil)
                try await withClient(connectingTo: path) { late in
                    let other = try await late.viewModel(Counter.self)
                    #expect(other.viewState == "sum 3")
                    #expect(await mirror.sendViewEvent(.add(4)).finish() == .finished)
                    #expect(await other.sendViewEvent(.add(5)).finish() == .finished)
                    try await poll { counter.viewState == "sum 12" }
                }
            }
        }
    }

    @Test("Of two coordinators at one path, the one that lost it reports that, whichever started first (F75)")
    func secondCoordinator() async throws {
        try await withServing { path, coordinator, counter, log in
            try await withClient(connectingTo: path) { early in
                let mirror = try await early.viewModel(Counter.self)
                try FileManager.default.removeItem(atPath: path)
                try FileManager.default.removeItem(atPath: path + ".lock")
                try await FaultyCoordinator.with(listeningAt: path, worker: Programs.path("faulty")) { second in
                    let said = try await second.lines.until { !$0.isEmpty }
                    if said.first == "listening" {
                        try await poll { coordinator.listeningError != nil }
                        let lost = try #require(coordinator.listeningError)
                        #expect(lost.code == .listening)
                        try await log.lines.until { $0.contains(lost.message) }
                    } else {
                        #expect(said.first?.contains("\(path).") == true)
                        try await log.lines.until {
                            $0.contains { $0.hasSuffix("created again. No client was disconnected.") }
                        }
                        #expect(coordinator.listeningError == nil)
                    }
                    let expected = said.first == "listening" ? "sum 0" : "sum 3"
                    try await withClient(connectingTo: path) { late in
                        let other = try await late.viewModel(Counter.self)
                        #expect(other.viewState == expected)
                    }
                    // Those that were there before go on where they were.
                    #expect(await mirror.sendViewEvent(.add(4)).finish() == .finished)
                    try await poll { counter.viewState == "sum 7" }
                }
            }
        }
    }

    @Test("A coordinator that has its path again reports that, and refuses another coordinator there (F75)")
    func pathHadAgain() async throws {
        try await withServing { path, coordinator, _, log in
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.removeItem(atPath: path + ".lock")
            try await log.lines.until { $0.contains { $0.hasSuffix("created again. No client was disconnected.") } }
            try await FaultyCoordinator.with(listeningAt: path, worker: Programs.path("faulty")) { second in
                let said = try await second.lines.until { !$0.isEmpty }
                #expect(said.first?.contains("\(path).") == true)
            }
            #expect(coordinator.listeningError == nil)
        }
    }
}
