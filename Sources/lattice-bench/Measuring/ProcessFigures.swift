import CCounters
import Glibc
import LatticeCore

/// The figures that the operating system provides about a process of this host.
struct ProcessFigures {
    let processID: Int32

    static var own: ProcessFigures { ProcessFigures(processID: getpid()) }

    /// The children of this process that it has not waited for. Linux lists them for each thread.
    static var children: [ProcessFigures] {
        paths(matching: "/proc/self/task/*/children").flatMap { path in
            (lines(of: path).first ?? "").split(separator: " ").compactMap { Int32($0).map(ProcessFigures.init) }
        }
    }

    /// The processor time of all threads of the process, in nanoseconds.
    func processorTime() throws(BenchError) -> UInt64 {
        var clock = clockid_t()
        guard clock_getcpuclockid(processID, &clock) == 0 else {
            throw BenchError("process \(processID) has ended, so its processor time is unknown")
        }
        return Self.time(of: clock)
    }

    /// The resident memory of the process, in bytes.
    func residentBytes() throws(BenchError) -> Int { try pages()[1] * sysconf(Int32(_SC_PAGESIZE)) }

    /// The resident memory that the process does not share, in bytes: without mapped files, which many processes share.
    func ownBytes() throws(BenchError) -> Int {
        let pages = try pages()
        return (pages[1] - pages[2]) * sysconf(Int32(_SC_PAGESIZE))
    }

    /// The total size, the resident size and the resident size of mapped files, in pages, followed by other numbers.
    private func pages() throws(BenchError) -> [Int] {
        let numbers = line(of: "statm")?.split(separator: " ").compactMap { Int($0) } ?? []
        guard numbers.count > 2 else {
            throw BenchError("process \(processID) has ended, so its memory is unknown")
        }
        return numbers
    }

    /// The number of descriptors that the process has open.
    var descriptors: Int { Self.paths(matching: "/proc/\(processID)/fd/*").count }

    /// The state of the process as in proc(5): "R" is running, "S" is sleeping, "T" is stopped. Nil when it has ended.
    var state: Substring? {
        // The state follows the name, which may contain any characters.
        let state = line(of: "stat")?.split(separator: ") ").last?.prefix(1)
        return state == "Z" || state == "X" ? nil : state
    }

    /// The context switches of all threads that the process has now, voluntary or not (proc(5)).
    var contextSwitches: Int {
        Self.paths(matching: "/proc/\(processID)/task/*/status").flatMap(Self.lines).reduce(0) { sum, line in
            guard line.contains("voluntary_ctxt_switches:") else { return sum }
            return sum + (line.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) } ?? 0)
        }
    }

    /// Returns the first line of one of the process's files in /proc, or nil if the process is gone.
    private func line(of name: String) -> String? { Self.lines(of: "/proc/\(processID)/\(name)").first }

    /// Returns the lines of a file, or none if it cannot be read.
    private static func lines(of path: String) -> [String] {
        guard let file = fopen(path, "r") else { return [] }
        defer { fclose(file) }
        var (lines, line) = ([String](), [CChar](repeating: 0, count: 1024))
        while fgets(&line, Int32(line.count), file) != nil {
            lines.append(String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
        }
        return lines
    }

    private static func paths(matching pattern: String) -> [String] {
        var paths = glob_t()
        defer { globfree(&paths) }
        guard glob(pattern, 0, nil, &paths) == 0 else { return [] }
        return (0..<Int(paths.gl_pathc)).compactMap { paths.gl_pathv[$0].map { String(cString: $0) } }
    }

    /// The processor time of the calling thread, in nanoseconds.
    static var processorTimeOfThisThread: UInt64 { time(of: CLOCK_THREAD_CPUTIME_ID) }

    /// The time of the clock that all processes of this host share, in nanoseconds.
    static var sharedTime: UInt64 { time(of: CLOCK_MONOTONIC) }

    /// The number of bytes that this process has received over its sockets, or nil if they are not counted.
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
    /// The worker that serves the view model now.
    @MainActor var workerProcess: ProcessFigures {
        get throws(BenchError) {
            guard case .serving(let serving) = hostStatus else {
                throw BenchError("the worker should be serving, but its status is: \(hostStatus)")
            }
            return ProcessFigures(processID: serving.processID)
        }
    }
}
