import ExampleSupport
import LatticeCore
import Testing

@Suite struct JobPaceTests {
    private struct Progress: ProgressViewState {
        var bytes: UInt64 = 0
        var seconds = 0.0
        var share = 0.0
        var isTotalKnown = true
        var isFinal = false
        var phaseText: String { "working" }
        var parts: [String] { ["parts"] }
    }

    private static func line(after states: [Progress]) -> String? {
        var pace = JobPace()
        for state in states { pace.add(state) }
        return states.last?.line(.local, pace)
    }

    @Test("The rate is that of the work, and the remaining time follows from the share")
    func pace() {
        let begun = Progress(bytes: 1024, seconds: 1, share: 0.1)
        #expect(Self.line(after: [begun]) == "working  parts  1.0 KiB/s")
        let later = Progress(bytes: 6 * 1024, seconds: 3, share: 0.5)
        #expect(Self.line(after: [begun, later]) == "working  parts  2.0 KiB/s  3 s left")
        // A pause takes no time of the work.
        #expect(Self.line(after: [begun, later, later]) == "working  parts  2.0 KiB/s  3 s left")
    }

    @Test("No time is left at the end, none is known during the walk, and an earlier state begins again")
    func ends() {
        let begun = Progress()
        let end = Progress(bytes: 2048, seconds: 2, share: 1, isFinal: true)
        #expect(Self.line(after: [begun, end]) == "working  parts  1.0 KiB/s")
        let walking = Progress(bytes: 2048, seconds: 2, share: 0.5, isTotalKnown: false)
        #expect(Self.line(after: [begun, walking]) == "working  parts  1.0 KiB/s")
        let earlier = Progress(bytes: 512, seconds: 1, share: 0.2)
        #expect(Self.line(after: [begun, walking, earlier]) == "working  parts  512 B/s")
    }
}
