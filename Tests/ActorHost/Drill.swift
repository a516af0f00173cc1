import LatticeJobs

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A job that does what a test asks for. Its output is the process ID of its worker.
struct Drill: Job {
    enum Deed: Codable, Sendable {
        case nothing
        /// Reports this number of units one after the other.
        case report(Int64)
        /// Crashes in all attempts up to this one.
        case crash(attempts: Int)
        /// Exits with code 0.
        case leave
        /// Computes without end, with all signals blocked that can be blocked.
        case spin
        /// Allocates memory without end.
        case hog
        /// Allocates this many megabytes and never releases them.
        case leak(Int)
        /// Waits until it is cancelled.
        case wait
        /// Waits until it is cancelled, unless a file is there. Otherwise it creates the file first.
        case waitOnce(file: String)
        /// Stops its worker, unless a file is there. Otherwise it creates the file first.
        case stopOnce(file: String)
        case refuse(String)
        /// Prints this number of lines, and a last one to the standard error.
        case print(Int)
        /// Appends a line to a file.
        case write(String, to: String)
    }

    struct Refusal: Error, Codable, Equatable { let reason: String }

    static let name = "drill"
    var deed: Deed

    func run(in context: JobContext) async throws -> Int32 {
        switch deed {
        case .nothing: break
        case .report(let count):
            for unit in 1...count { context.report(completedUnits: unit, totalUnits: count, line: "unit \(unit)") }
        case .crash(let attempts): if context.attempt <= attempts { abort() }
        case .leave: exit(0)
        case .spin: spin()
        case .hog:
            context.report(line: "hogging")
            hog()
        case .leak(let megabytes):
            // The optimiser removes an allocation that is never read, but no mapping.
            let memory = mmap(nil, megabytes << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0)
            guard let memory, memory != MAP_FAILED else { throw Refusal(reason: "no memory") }
            memset(memory, 1, megabytes << 20)
        case .wait:
            context.report(line: "waiting")
            try await Task.sleep(for: .seconds(1000))
        case .waitOnce(let path):
            guard Self.creates(path) else { break }
            context.report(line: "waiting")
            try await Task.sleep(for: .seconds(1000))
        case .stopOnce(let path): if Self.creates(path) { raise(SIGSTOP) }
        case .refuse(let reason): throw Refusal(reason: reason)
        case .print(let count):
            for number in 1...count { context.print("line \(number)") }
            context.print("end", to: .error)
        case .write(let line, let path):
            let file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
            defer { close(file) }
            let text = line + "\n"
            _ = text.withCString { Self.put(file, $0) }
        }
        return getpid()
    }

    /// Creates a file, unless it is there.
    private static func creates(_ path: String) -> Bool {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        guard file >= 0 else { return false }
        close(file)
        return true
    }

    private static func put(_ file: Int32, _ text: UnsafePointer<CChar>) -> Int {
        #if canImport(Darwin)
        Darwin.write(file, text, strlen(text))
        #else
        Glibc.write(file, text, strlen(text))
        #endif
    }

    private func spin() -> Never {
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, nil)
        while true { sched_yield() }
    }

    private func hog() -> Never {
        while true {
            let piece = UnsafeMutableRawPointer.allocate(byteCount: 8 << 20, alignment: 16)
            memset(piece, 1, 8 << 20)
            usleep(10_000)
        }
    }
}
