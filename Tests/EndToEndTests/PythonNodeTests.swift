import Distributed
import Foundation
import LatticeActors
import LatticeCoordinator
import LatticeTestSupport
import Testing

/// `Protocols/node.py` beside a coordinator: what the protocol's text says is enough to call actors and to be called.
///
/// `LATTICE_PYTHON` in the environment names an interpreter that has cbor2.
@MainActor
@Suite(
    .enabled(if: ProcessInfo.processInfo.environment["LATTICE_PYTHON"] != nil),
    .timeLimit(.minutes(10))
)
struct PythonNodeTests {
    /// The result of the program's call, as the program prints it.
    private struct Answer: Decodable {
        let code: String
        let reason: String?
        let value: Int?
        let elements: [Int]?
    }

    /// Starts the program, which calls a method of the actor "adder" by its name.
    private func withNode(
        _ method: String,
        _ arguments: [String] = [],
        _ body: (LatticeActorSystem, _ answer: Answer) async throws -> Void
    ) async throws {
        let python = try #require(ProcessInfo.processInfo.environment["LATTICE_PYTHON"])
        try await withSocketPath { path in
            try await withCoordinator(listeningAt: path, configuration: configuration(workers: "/bin/true")) {
                let system = LatticeActorSystem($0)
                system.register(errors: PythonError.self)
                try system.host("adder") { Adder(actorSystem: $0) }
                let process = Process()
                process.executableURL = URL(fileURLWithPath: python)
                process.arguments = ["\(Programs.package.path)/Protocols/node.py", path, "adder", method] + arguments
                let output = Pipe()
                process.standardOutput = output
                try process.run()
                defer { kill(process.processIdentifier, SIGKILL) }
                let line = try await onAThread {
                    var line = Data()
                    while line.last != UInt8(ascii: "\n") {
                        let more = output.fileHandleForReading.availableData
                        if more.isEmpty { break }
                        line += more
                    }
                    return line
                }
                try await body(system, try JSONDecoder().decode(Answer.self, from: line))
            }
        }
    }

    /// The compiler's name of the method.
    private static let add = "$s" + (_mangledTypeName(Adder.self) ?? "") + "3add_2toS2i_SitYaKFTE"

    private static let count =
        "$s" + (_mangledTypeName(Adder.self) ?? "") + "5county13LatticeActors11ActorStreamVySiGSiYaKFTE"

    @Test func itCallsAnActorAndIsCalled() async throws {
        try await withNode(Self.add, ["40", "2"]) { system, answer in
            #expect(answer.code == "returned" && answer.value == 42)
            let desk = try await system.resolve(PythonDesk.self, named: "python")
            let double = try await desk.double(21)
            #expect(double == 42)
            await #expect(throws: PythonError(reason: "no luck")) { try await desk.fail() }
            let unknown = await #expect(throws: ActorCallError.self) { try await desk.other() }
            #expect(unknown?.code == .unknownMethod && unknown?.delivery == .notSent)
            let late = await #expect(throws: ActorCallError.self) {
                try await withDeadline(.now + .milliseconds(50)) { try await desk.wait() }
            }
            #expect(late?.code == .deadlinePassed)
            let waiting = Task.immediate { try await desk.wait() }
            // This call is sent after the other one.
            _ = try await desk.double(1)
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
        }
    }

    @Test func itHasATableOfStableNames() async throws {
        try await withNode(Self.add, ["40", "2"]) { system, _ in
            let desk = try await system.resolve(PythonTable.self, named: "python")
            let double = try await desk.double(21)
            #expect(double == 42)
            let error = await #expect(throws: ActorCallError.self) {
                try await system.resolve(OtherTable.self, named: "python")
            }
            #expect(error?.code == .unknownMethod && error?.delivery == .notSent)
            #expect(
                error?.message.hasPrefix(
                    "double(_:) of OtherTable has the signature (String) -> String here, and (Int) -> Int in the"
                ) == true
            )
        }
    }

    @Test func itReadsAStreamAndAnswersWithOne() async throws {
        try await withNode(Self.count, ["100000"]) { system, answer in
            #expect(answer.code == "returned" && answer.elements == Array(0..<100_000))
            let desk = try await system.resolve(PythonDesk.self, named: "python")
            var numbers: [Int] = []
            for try await number in try await desk.count(100_000) { numbers.append(number) }
            #expect(numbers == Array(0..<100_000))
            // The rest of the stream is cancelled, and the program keeps answering.
            for try await number in try await desk.count(100_000) where number == 10 { break }
            let double = try await desk.double(21)
            #expect(double == 42)
        }
    }

    @Test func itGetsTheReasonOfAFailedCall() async throws {
        try await withNode(Self.add, ["40", "\"two\""]) { _, answer in
            #expect(answer.code == "undecodable")
            #expect(
                answer.reason?.hasPrefix("argument 2 of EndToEndTests.Adder.add(_:to:) cannot be read as Int") == true
            )
        }
    }

    @Test func itGetsAnErrorForAnUnknownMethod() async throws {
        try await withNode("subtract") { _, answer in
            #expect(answer.code == "no such method")
        }
    }

    @Test func itsEndEndsItsCalls() async throws {
        try await withNode(Self.add, ["1", "2"]) { system, _ in
            let desk = try await system.resolve(PythonDesk.self, named: "python")
            let waiting = Task.immediate { try await desk.wait() }
            _ = try await desk.double(1)
            let process = try #require(Int32(desk.id.process.split(separator: " ").last?.dropLast() ?? ""))
            kill(process, SIGKILL)
            let error = await #expect(throws: ActorCallError.self) { try await waiting.value }
            #expect(error?.code == .lost && error?.delivery == .mayHaveBegun)
        }
    }
}

struct PythonError: Error, Codable, Equatable {
    let reason: String
}

distributed actor Adder {
    typealias ActorSystem = LatticeActorSystem
    distributed func add(_ a: Int, to b: Int) -> Int { a + b }

    distributed func count(_ end: Int) -> ActorStream<Int> { ActorStream(0..<end) }
}

/// The Python program's actor with stable names. This program declares only a part of the table.
distributed actor PythonTable: StableNamed {
    typealias ActorSystem = LatticeActorSystem
    distributed func double(_ number: Int) -> Int { number }
    static var stableMethods: [StableMethod] {
        [StableMethod("double(_:)") { (actor: isolated Self, number: Int) in actor.double(number) }]
    }
}

distributed actor OtherTable: StableNamed {
    typealias ActorSystem = LatticeActorSystem
    distributed func double(_ text: String) -> String { text }
    static var stableMethods: [StableMethod] {
        [StableMethod("double(_:)") { (actor: isolated Self, text: String) in actor.double(text) }]
    }
}

/// The declaration of the actor that the Python program serves. Its methods never run here.
distributed actor PythonDesk {
    typealias ActorSystem = LatticeActorSystem
    distributed func double(_ number: Int) -> Int { number }
    distributed func fail() throws {}
    distributed func wait() async throws {}
    distributed func count(_ end: Int) -> ActorStream<Int> { ActorStream([]) }
    distributed func other() {}
}
