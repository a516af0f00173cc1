import CLatticeSystem
import LatticeTransport
import Testing

@testable import LatticeProcess

struct ProcessMemoryTests {
    @Test(
        "A process's memory is its private memory in RAM and swapped out, as Linux reports it",
        arguments: [
            ("VmRSS:\t  100 kB\nRssAnon:\t  10 kB\nRssFile:\t  89 kB\nRssShmem:\t  1 kB\nVmSwap:\t  5 kB\n", 16),
            ("RssAnon:\t0 kB\nRssShmem:\t0 kB\nVmSwap:\t0 kB", 0),
            // Where it does not say what of that is files.
            ("VmRSS:\t  100 kB\nVmSwap:\t  5 kB\n", 105),
            ("VmRSS:\t  100 kB\n", 100),
            // The program chooses its name; that it could be a line of its own, the system prevents.
            ("Name:\tRssAnon: 1 kB\nRssAnon:\t  10 kB\n", 10),
            ("RssAnon:\t18446744073709551615 kB\nVmRSS:\t  7 kB\n", 7),
            ("RssAnon:\t-1 kB\nRssAnon:\t1\nRssAnon:\t1 MB\nRssAnon: kB\nRssAnon:\nRssAnon", nil),
            // It has ended, and is not taken out of the process table yet.
            ("Name:\tworker\nState:\tZ (zombie)\nThreads:\t1\n", nil),
            ("", nil),
        ] as [(String, Int?)]
    )
    func status(text: String, kilobytes: Int?) {
        #expect(ProcessMemory.bytes(inStatus: Array(text.utf8)) == kilobytes.map { $0 * 1024 })
    }

    #if os(Linux)
    @Test("The CPU time of this process grows while it computes, and a missing process has none")
    func cpuTime() throws {
        let before = try #require(ProcessCPUTime.time(of: System.processID))
        var now = before
        while now <= before { now = try #require(ProcessCPUTime.time(of: System.processID)) }
        #expect(now > before && ProcessCPUTime.time(of: -1) == nil)
    }

    @Test("Memory that this process writes to counts, and a missing process has none")
    func own() throws {
        #expect(ProcessMemory.isKnown)
        let memory = ProcessMemory(of: System.processID)
        // Other tests may free memory meanwhile, but rarely this much and not each time.
        #expect(try (1...5).contains { _ in try growth(of: memory, by: 256 << 20) > 128 << 20 })
        #expect(ProcessMemory(of: -1).bytes() == nil)
    }

    /// Returns by how much the memory grows while this many written bytes are allocated.
    private func growth(of memory: ProcessMemory, by size: Int) throws -> Int {
        let before = try #require(memory.bytes())
        let piece = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        defer { piece.deallocate() }
        memset(piece, 1, size)
        return try #require(memory.bytes()) - before
    }
    #endif
}
