import CProcessEnd
import LatticeConcurrency
import LatticeCoordinator
import LatticeCore
import LatticeTestSupport
import LatticeTransport
import LatticeWorker
import Observation

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A coordinator or a worker with the faults that tests need.
///
/// - `faulty SOCKET WORKER ARGUMENT...` coordinates workers that run the program WORKER with the arguments. It reads
///   commands from its standard input, line by line. If WORKER is `own`, the workers run the file that has this
///   program's name when the first line arrives.
/// - `faulty --hang PIPE` writes to a named pipe and then hangs before its first line of work.
/// - `--become PROGRAM` as last arguments replaces a worker by that program.
/// - `--talk` as last argument makes a worker write to its standard output without end.
///
/// Swift finds no arguments without /proc. The arguments are then the lines of the variable `FAULTY_ARGUMENTS`.
@main struct Faulty {
    static let arguments = {
        guard CommandLine.arguments.count < 2, let lines = getenv("FAULTY_ARGUMENTS") else {
            return CommandLine.arguments
        }
        return ["faulty"] + String(cString: lines).split(separator: "\n").map(String.init)
    }()

    @MainActor static func main() async throws {
        if arguments.count == 3, arguments[1] == "--hang" { hang(arguments[2]) }
        if getenv("LATTICE_WORKER") != nil, arguments.dropLast().last == "--become" {
            become(arguments.last ?? "")
        }
        if getenv("LATTICE_WORKER") != nil, arguments.last == "--talk" { try talk() }
        if let worker = Worker.launchedBySupervisor(hosting: Counter.self) { return try await worker.run() }
        guard arguments.count > 2 else { return say("no worker") }

        var configuration = CoordinatorConfiguration()
        if arguments[2] == "own" {
            say("waiting")
            _ = readLine()
        } else {
            configuration.workerExecutable = arguments[2]
        }
        configuration.workerArguments = Array(arguments.dropFirst(3))
        let socket = arguments[1]
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

    /// Replaces this process by a program.
    static func become(_ program: String) {
        program.withCString { path in
            var arguments = [UnsafeMutablePointer(mutating: path), nil]
            execv(path, &arguments)
        }
    }

    /// Writes to a named pipe, and then hangs.
    static func hang(_ pipe: String) {
        let writing = open(pipe, O_WRONLY | O_CLOEXEC)
        _ = write(writing, "!", 1)
        while true { sched_yield() }
    }

    /// Starts a thread that writes lines without end.
    static func talk() throws {
        try SystemThread.start(name: "talk") {
            while true { say("output") }
        }
    }

    /// Executes the commands from standard input until `stop` or its end.
    @MainActor static func serve(_ counter: ViewModel<Counter>) async throws {
        if case .serving(let serving) = counter.hostStatus { say("serving \(serving.processID)") }
        for await line in lines() {
            switch line {
            case "add":
                let event = counter.sendViewEvent(.add(1))
                // The loop reads other commands while the event runs.
                Task { say("\(await event.finish()) \(counter.viewState)") }
            case "worker":
                if case .serving(let serving) = counter.hostStatus { say("worker \(serving.processID)") }
            case "lack":
                for await host in Observations({ counter.hostStatus }) where isLacking(host) {
                    say("lacking")
                    break
                }
            case "copy":
                say("copy \(test_keep_copy())")
            case "stop":
                return
            default:
                say("unknown command \(line)")
            }
        }
    }

    static func isLacking(_ host: HostStatus) -> Bool {
        guard case .restarting(let restart) = host, case .lackOfResources = restart.cause else {
            return false
        }
        return restart.attempt > 2
    }

    /// Returns the lines of standard input. A thread of its own reads them, because reading blocks.
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

    /// Writes a line directly to standard output.
    ///
    /// The C library's streams are not used. Flushing all of them would wait for standard input, which is being read.
    nonisolated static func say(_ line: String) {
        let line = line + "\n"
        _ = line.withCString { write(STDOUT_FILENO, $0, line.utf8.count) }
    }
}
