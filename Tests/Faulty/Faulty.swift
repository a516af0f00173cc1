import LatticeCoordinator
import LatticeCore
import LatticeTestSupport
import LatticeTransport
import LatticeWorker

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A program with the faults that tests need: `faulty SOCKET WORKER ARGUMENT...` coordinates a worker and takes commands
/// from its standard input, line by line; its workers are itself or others. With `own` as WORKER they are what is there
/// under its own name when the first line comes, for which it waits. With `--hang` it never gets to its first line, and
/// with `--become PROGRAM` its workers become that one.
@main struct Faulty {
    @MainActor static func main() async throws {
        if CommandLine.arguments.contains("--hang") { while true { sched_yield() } }
        if getenv("LATTICE_WORKER") != nil, CommandLine.arguments.dropLast().last == "--become" {
            become(CommandLine.arguments.last ?? "")
        }
        if let worker = Worker.launchedBySupervisor(hosting: Counter.self) { return try await worker.run() }
        guard CommandLine.arguments.count > 2 else { return say("no worker") }

        var configuration = CoordinatorConfiguration()
        if CommandLine.arguments[2] == "own" {
            say("waiting")
            _ = readLine()
        } else {
            configuration.workerExecutable = CommandLine.arguments[2]
        }
        configuration.workerArguments = Array(CommandLine.arguments.dropFirst(3))
        let socket = CommandLine.arguments[1]
        do {
            try await withCoordinator(hosting: Counter.self, listeningAt: socket, configuration: configuration) {
                say("listening")
                try await serve(try await $0.viewModel(Counter.self))
            }
            say("stopped")
        } catch let error as CoordinatorError {
            say(error.message)
        }
    }

    static func become(_ program: String) {
        program.withCString { path in
            var arguments = [UnsafeMutablePointer(mutating: path), nil]
            execv(path, &arguments)
        }
    }

    @MainActor static func serve(_ counter: ViewModel<Counter>) async throws {
        if case .serving(let serving) = counter.hostStatus { say("serving \(serving.processID)") }
        for await line in lines() {
            switch line {
            case "add":
                let event = counter.sendViewEvent(.add(1))
                // Other commands come meanwhile.
                Task { say("\(await event.finish()) \(counter.viewState)") }
            case "worker":
                if case .serving(let serving) = counter.hostStatus { say("worker \(serving.processID)") }
            case "lack":
                while !isLacking(counter) { try await Task.sleep(for: .milliseconds(5)) }
                say("lacking")
            case "stop":
                return
            default:
                say("unknown command \(line)")
            }
        }
    }

    @MainActor static func isLacking(_ counter: ViewModel<Counter>) -> Bool {
        guard case .restarting(let restart) = counter.hostStatus, case .lackOfResources = restart.cause else {
            return false
        }
        return restart.attempt > 2
    }

    /// From a thread of its own: reading waits.
    static func lines() -> AsyncStream<String> {
        AsyncStream { continuation in
            do {
                try SystemThread.start(name: "lines") {
                    while let line = readLine() { continuation.yield(line) }
                    continuation.finish()
                }
            } catch {
                continuation.finish()
            }
        }
    }

    /// Not through a stream of the C library: flushing them all would wait for the one that is being read.
    nonisolated static func say(_ line: String) {
        let line = line + "\n"
        _ = line.withCString { write(STDOUT_FILENO, $0, line.utf8.count) }
    }
}
