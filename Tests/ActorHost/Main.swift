import Distributed
import LatticeActors
import LatticeCoordinator
import LatticeJobs
import LatticeWorker

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// An actor that a worker serves to tests.
distributed actor Subject {
    typealias ActorSystem = LatticeActorSystem

    private let workerGroup: String

    init(in group: String, actorSystem: ActorSystem) {
        self.actorSystem = actorSystem
        workerGroup = group
    }

    /// Returns the worker's process ID.
    distributed func process() -> Int32 { getpid() }
    /// Returns the name of the worker's group, as the worker knows it.
    distributed func group() -> String { workerGroup }
    distributed func double(_ number: Int) -> Int { 2 * number }
    /// Ends the process.
    distributed func leave(_ code: Int32) { exit(code) }

    /// Blocks its thread for this time, and returns the worker's process ID.
    distributed func hold(milliseconds: UInt32) -> Int32 {
        usleep(milliseconds * 1000)
        return getpid()
    }

    distributed func wait() async throws { try await Task.sleep(for: .seconds(1000)) }

    /// Asks another worker's actor to double a number.
    distributed func ask(_ other: Subject, _ number: Int) async throws -> Int { try await other.double(number) }
}

/// A worker that serves a ``Subject`` under the name "subject", or a coordinator of such workers.
///
/// If the variable `ACTORHOST_EXIT` is set, the program exits at once with that code. Without a supervisor it is a
/// coordinator:
/// - `actorhost PATH` listens at the path with a group of three workers, and prints their process IDs.
/// - `actorhost restarts COUNT` kills a worker this many times, each time after it has been restarted, and prints how
///   many descriptors the coordinator has gained since the tenth restart.
@main enum Main {
    static func main() async throws {
        if let code = variable("ACTORHOST_EXIT").flatMap(Int32.init) { exit(code) }
        if let worker = Worker.launchedBySupervisor(hosting: Introductions.self) {
            let system = LatticeActorSystem(worker)
            try system.host("subject") { Subject(in: worker.group, actorSystem: $0) }
            system.register(errors: Drill.Refusal.self)
            try system.host(jobs: Drill.self, in: worker.group)
            return try await worker.run()
        }
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == "restarts", let count = arguments.last.flatMap(Int.init) {
            try await restart(count)
        } else {
            try await serve(at: arguments.first)
        }
    }

    private static func serve(at path: String?) async throws {
        var configuration = CoordinatorConfiguration()
        configuration.groups = [WorkerGroup("subjects", workers: 3)]
        try await withCoordinator(listeningAt: path, configuration: configuration) { coordinator in
            let system = LatticeActorSystem(coordinator)
            var processes: Set<Int32> = []
            while processes.count < 3 {
                let subject = try await system.resolve(Subject.self, named: "subject", within: .seconds(30))
                let process = try await subject.process()
                if processes.insert(process).inserted { say("worker \(process)") }
            }
            say("serving")
            try await Task.sleep(for: .seconds(600))
        }
    }

    private static func restart(_ count: Int) async throws {
        var configuration = CoordinatorConfiguration()
        configuration.groups = [WorkerGroup("subjects", workers: 1)]
        configuration.restart.initialDelay = .zero
        configuration.restart.maximumDelay = .milliseconds(1)
        configuration.restart.intensity.restarts = count + 1
        try await withCoordinator(configuration: configuration) { coordinator in
            let system = LatticeActorSystem(coordinator)
            var (before, last) = (0, UInt64(0))
            for restart in 0...count {
                let subject = try await system.resolve(Subject.self, named: "subject", within: .seconds(30))
                guard subject.id.incarnation > last else {
                    return say("an old incarnation: \(subject.id), after \(last)")
                }
                last = subject.id.incarnation
                let process = try await subject.process()
                // After ten restarts, all descriptors that the process keeps permanently are open.
                if restart == min(10, count) { before = openFiles }
                guard restart < count else { return say("files \(openFiles - before)") }
                kill(process, SIGKILL)
                // The call ends when the process has ended.
                _ = try? await subject.wait()
            }
        }
    }

    private static var openFiles: Int { (0..<4096).count { fcntl(Int32($0), F_GETFD) >= 0 } }

    private static func say(_ line: String) {
        let line = line + "\n"
        _ = line.withCString { write(STDOUT_FILENO, $0, strlen($0)) }
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
