import LatticeConcurrency
import Testing

@testable import LatticeJobs

@Suite struct EndedProgramTests {
    @Test("A program is ended before its worker is, whether it starts before or after that", arguments: [true, false])
    func programs(startsFirst: Bool) {
        let reports = JobReports { _, _ in }
        let ends = Locked(0)
        let start = { reports.startsProgram { ends.withLock { $0 += 1 } } }
        if startsFirst { start() }
        reports.endProgram()
        if !startsFirst { start() }
        #expect(ends.withLock(\.self) == 1)
    }
}
