import CCounters
import Glibc
import LatticeCore

/// What the system says of a process of this host.
struct ProcessFigures {
    let processID: Int32

    static var own: ProcessFigures { ProcessFigures(processID: getpid()) }

    /// The time that all its threads have had on a core, in nanoseconds.
    func processorTime() throws(BenchError) -> UInt64 {
        var clock = clockid_t()
        guard clock_getcpuclockid(processID, &clock) == 0 else {
            throw BenchError("process \(processID) has no clock; it is gone")
        }
        return Self.time(of: clock)
    }

    /// Bytes that it has in memory.
    func residentBytes() throws(BenchError) -> Int {
        // Of the second number, which is in pages.
        guard let file = fopen("/proc/\(processID)/statm", "r") else {
            throw BenchError("process \(processID) does not say how large it is; it is gone")
        }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        guard fgets(&line, Int32(line.count), file) != nil else {
            throw BenchError("process \(processID) does not say how large it is")
        }
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let numbers = text.split(separator: " ").compactMap { Int($0) }
        return numbers.count > 1 ? numbers[1] * sysconf(Int32(_SC_PAGESIZE)) : 0
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
