import Distributed
import Lattice
import LatticeActors
import LatticeCoordinator
import LatticeCore
import LatticeTesting
import LatticeWorker
import Testing

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

struct Missing: Error, Codable, Equatable {
    let path: String
}

distributed actor Thumbnailer {
    typealias ActorSystem = LatticeActorSystem

    /// The beginning of a file, which stands for a picture here.
    distributed func thumbnail(of path: String) throws -> [UInt8] {
        guard let file = fopen(path, "r") else { throw Missing(path: path) }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 64)
        bytes.removeLast(64 - fread(&bytes, 1, 64, file))
        return bytes
    }
}

distributed actor Journal {
    typealias ActorSystem = LatticeActorSystem

    private var lines: [String] = []

    distributed func note(_ line: String) { lines.append(line) }

    distributed func all() -> ActorStream<String> { ActorStream(lines) }
}

@Resolvable
protocol Greeter: DistributedActor where ActorSystem == LatticeActorSystem {
    distributed func greet(_ name: String) async throws -> String
}

distributed actor KindGreeter: Greeter {
    typealias ActorSystem = LatticeActorSystem
    distributed func greet(_ name: String) -> String { "hello, \(name)" }
}

enum ThumbnailSystem: HostDependencyKey {
    static let defaultValue = LatticeActorSystem()
}

@StableNames
distributed actor Concierge: StableNamed {
    typealias ActorSystem = LatticeActorSystem

    distributed func greet(_ name: String, loudly: Bool = false) -> String {
        loudly ? "HELLO, \(name.uppercased())" : "hello, \(name)"
    }
}

@Resolvable
@StableNames
protocol Welcoming: StableNamed where ActorSystem == LatticeActorSystem {
    distributed func greet(_ name: String) async throws -> String
}

distributed actor Host: Welcoming {
    typealias ActorSystem = LatticeActorSystem
    distributed func greet(_ name: String) -> String { "welcome, \(name)" }
}

distributed actor Porter {
    typealias ActorSystem = LatticeActorSystem
    distributed func carry(_ bags: Int, to room: Int) -> String { "\(bags) bags in \(room)" }
}

extension Porter: StableNamed {
    static var stableMethods: [StableMethod] {
        [
            StableMethod("carry(_:to:)") { (actor: isolated Self, bags: Int, room: Int) in
                actor.carry(bags, to: room)
            },
            StableMethod("bring(_:to:)", isFormer: true) { (actor: isolated Self, bags: Int, room: Int) in
                actor.carry(bags, to: room)
            },
        ]
    }
}

/// The blocks of LatticeActors' documents. What starts processes is compiled here, and run by EndToEndTests in its own
/// words.
@Suite(.timeLimit(.minutes(10))) struct ActorsTests {
    private let picture = #filePath

    @Test func oneSystemAlone() async throws {
        let system = LatticeActorSystem()
        try system.host("thumbnailer") { Thumbnailer(actorSystem: $0) }
        let thumbnailer = try await system.resolve(Thumbnailer.self, named: "thumbnailer")
        let image = try await withDeadline(.now + .seconds(60)) { try await thumbnailer.thumbnail(of: picture) }
        #expect(image.count == 64)
        await #expect(throws: Missing(path: "/nowhere")) { try await thumbnailer.thumbnail(of: "/nowhere") }
    }

    @Test func aProtocolIsCalled() async throws {
        let system = LatticeActorSystem()
        try system.host("greeter") { KindGreeter(actorSystem: $0) }
        let greeter = try await system.resolve($Greeter.self, named: "greeter")
        let greeting = try await greeter.greet("Ann")
        #expect(greeting == "hello, Ann")
    }

    @Test func actorsHaveTables() async throws {
        #expect(Concierge.stableMethods.map(\.name) == ["greet(_:loudly:)", "greet(_:)"])
        #expect(Concierge.stableMethods.map(\.isFormer) == [false, true])
        #expect(Porter.stableMethods.map(\.name) == ["carry(_:to:)", "bring(_:to:)"])
        #expect(Host.stableMethods.map(\.signature) == ["(String) -> String"])
        // The program that calls has the protocol only, in another module perhaps.
        try await withActorSystems(placement: .memoryWorker) { caller, host in
            try host.host("concierge") { Concierge(actorSystem: $0) }
            try host.host("host") { Host(actorSystem: $0) }
            for (name, greeting) in ["concierge": "hello, Ann", "host": "welcome, Ann"] {
                let found = try await caller.resolve($Welcoming.self, named: name, within: .seconds(60))
                let answer = try await found.greet("Ann")
                #expect(answer == greeting)
            }
        }
    }

    @Test func aStreamIsRead() async throws {
        let journal = Journal(actorSystem: LatticeActorSystem())
        try await journal.oneWay.note("begun")
        for try await line in try await journal.all() { print(line) }
    }

    func worker() async throws {
        if let worker = Worker.launchedBySupervisor() {
            let system = LatticeActorSystem(worker)
            system.register(errors: Missing.self)
            try system.host("thumbnailer") { Thumbnailer(actorSystem: $0) }
            return try await worker.run()
        }
    }

    func workerOfAFeatureAndOfActors() async throws {
        if let worker = Worker.launchedBySupervisor(hosting: Notes.self) {
            let system = LatticeActorSystem(worker)
            if worker.group == "thumbnails" { try system.host("thumbnailer") { Thumbnailer(actorSystem: $0) } }
            var dependencies = HostDependencies()
            dependencies[ThumbnailSystem.self] = system
            return try await worker.run(dependencies: dependencies)
        }
    }

    func coordinator(_ path: String) async throws {
        var configuration = CoordinatorConfiguration()
        configuration.groups = [WorkerGroup("thumbnails", workers: 2)]
        try await withCoordinator(listeningAt: path, configuration: configuration) { coordinator in
            let system = LatticeActorSystem(coordinator)
            let thumbnailer = try await system.resolve(Thumbnailer.self, named: "thumbnailer", within: .seconds(5))
            let image = try await thumbnailer.thumbnail(of: picture)
            print(image.count)
        }
    }

    func pool(_ system: LatticeActorSystem, _ paths: [String]) async throws {
        try await system.withPool(of: Thumbnailer.self, named: "thumbnailer") { pool in
            try await withThrowingTaskGroup(of: [UInt8].self) { group in
                for path in paths { group.addTask { try await pool.call { try await $0.thumbnail(of: path) } } }
                for try await image in group { print(image.count) }
            }
        }
    }

    func ends(_ thumbnailer: Thumbnailer) async throws {
        do {
            let image = try await thumbnailer.thumbnail(of: picture)
            print(image.count)
        } catch let missing as Missing {
            print("no file \(missing.path)")
        } catch let error as ActorCallError where error.delivery == .notSent {
            print("not begun, so it may be tried again: \(error)")
        } catch let error as ActorCallError {
            print("it may have run in part or completely: \(error)")
        }
    }

    func lives(_ system: LatticeActorSystem, _ thumbnailer: Thumbnailer) async throws -> Thumbnailer {
        let end = try await system.onTermination(of: thumbnailer)
        print("the thumbnailer has ended: \(end)")
        let next = try await system.resolve(Thumbnailer.self, named: "thumbnailer", within: .seconds(5))
        return next
    }
}
