import LatticeTransport
import Testing

@testable import LatticeProcess

#if os(Linux)
struct ProcessFiguresTests {
    static let lines: [(name: String, line: String, cpu: Duration?, resident: Int?)] = [
        (
            "an ordinary one", "7 (tally) S 1 7 7 0 -1 4194304 1 0 0 0 150 50 0 0 20 0 3 0 100 9000000 12 0",
            .milliseconds(2000), 12 * 4096
        ),
        (
            "a name with spaces and parentheses",
            "7 (a) b (c) R 1 7 7 0 -1 4194304 1 0 0 0 1 0 0 0 20 0 3 0 100 9000000 1 0", .milliseconds(10), 4096
        ),
        ("a cut one", "7 (tally) S 1 7 7", nil, nil),
        ("no name", "7 tally S", nil, nil),
        ("nothing", "", nil, nil),
    ]

    @Test("The processor time and the memory are read from the line of the process", arguments: lines)
    func line(name: String, line: String, cpu: Duration?, resident: Int?) {
        let figures = ProcessFigures.figures(inStat: line, ticksPerSecond: 100, bytesPerPage: 4096)
        #expect(figures.0 == cpu)
        #expect(figures.1 == resident)
    }

    @Test("This process has figures and a program, and a process that does not exist has none")
    func own() {
        let figures = ProcessFigures(of: System.processID)
        #expect(figures.residentBytes ?? 0 > 1 << 20)
        #expect(figures.openFiles ?? 0 > 2)
        #expect(figures.cpuTime ?? .zero > .zero)
        #expect(ProcessFigures.program(of: System.processID)?.hasPrefix("/") == true)
        let none = ProcessFigures(of: Int32.max)
        #expect(none.cpuTime == nil && none.residentBytes == nil && none.openFiles == nil)
        #expect(ProcessFigures.program(of: Int32.max) == nil)
    }
}
#endif
