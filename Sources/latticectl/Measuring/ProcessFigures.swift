import CCounters
import Glibc
import LatticeCore

/// What the system says of a process of this host.
struct ProcessFigures {
    let processID: Int32

    static var own: ProcessFigures { ProcessFigures(processID: getpid()) }

    /// Those that this process has started and not waited for, which Linux lists for each of its threads.
    static var children: [ProcessFigures] {
        var lists = glob_t()
        defer { globfree(&lists) }
        guard glob("/proc/self/task/*/children", 0, nil, &lists) == 0 else { return [] }
        return (0..<Int(lists.gl_pathc)).flatMap { index in
            let numbers = lists.gl_pathv[index].flatMap { firstLine(of: String(cString: $0)) } ?? ""
            return numbers.split(separator: " ").compactMap { Int32($0).map(ProcessFigures.init) }
        }
    }

    /// The time that all its threads have had on a core, in nanoseconds.
    func processorTime() throws(BenchError) -> UInt64 {
        var clock = clockid_t()
        guard clock_getcpuclockid(processID, &clock) == 0 else {
            throw BenchError("process \(processID) has no clock; it is gone")
        }
        return Self.time(of: clock)
    }

    /// Bytes that it has in memory.
    func residentBytes() throws(BenchError) -> Int { try pages()[1] * sysconf(Int32(_SC_PAGESIZE)) }

    /// Bytes that it has in memory for itself: without files that it has mapped, which many processes share.
    func ownBytes() throws(BenchError) -> Int {
        let pages = try pages()
        return (pages[1] - pages[2]) * sysconf(Int32(_SC_PAGESIZE))
    }

    /// What it has in all, in memory, and of that from files, and more.
    private func pages() throws(BenchError) -> [Int] {
        let numbers = line(of: "statm")?.split(separator: " ").compactMap { Int($0) } ?? []
        guard numbers.count > 2 else {
            throw BenchError("process \(processID) does not say how large it is; it is gone")
        }
        return numbers
    }

    /// What it is doing, as proc(5) has it: "R" runs, "S" sleeps, "T" was stopped; nil when it has ended.
    var state: Substring? {
        // Behind the name, which may have any characters.
        let state = line(of: "stat")?.split(separator: ") ").last?.prefix(1)
        return state == "Z" || state == "X" ? nil : state
    }

    /// The first line of a file that the system has of it; nil when it is gone.
    private func line(of name: String) -> String? { Self.firstLine(of: "/proc/\(processID)/\(name)") }

    private static func firstLine(of path: String) -> String? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 1024)
        guard fgets(&line, Int32(line.count), file) != nil else { return nil }
        return String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The time that the calling thread has had on a core, in nanoseconds.
    static var processorTimeOfThisThread: UInt64 { time(of: CLOCK_THREAD_CPUTIME_ID) }

    /// Nanoseconds of the clock that all processes of this host share.
    static var sharedTime: UInt64 { time(of: CLOCK_MONOTONIC) }

    /// What this process has got over its sockets; nil where nobody counts.
    static var bytesReceived: Int? {
        let count = lattice_bytes_received()
        return count < 0 ? nil : Int(count)
    }

    private static func time(of clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

extension ViewModel {
    /// The worker that serves it now.
    @MainActor var workerProcess: ProcessFigures {
        get throws(BenchError) {
            guard case .serving(let serving) = hostStatus else {
                throw BenchError("the worker should serve, but: \(hostStatus)")
            }
            return ProcessFigures(processID: serving.processID)
        }
    }
}
