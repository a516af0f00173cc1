import LatticeTestSupport
import Testing

/// Many clients in several processes, half of which are killed at once.
@Suite(.timeLimit(.minutes(10))) struct CrowdTests {
    @Test("Half of 100 clients are killed at once, and within a second all others show exactly who is left")
    func killed() async throws {
        let meter = LatenessMeter()
        defer { meter.stop() }
        let start = ContinuousClock.now
        let output = try await Programs.bench(["faults", "--only", "crowd", "--json"], dividedBy: 10)
        let figures = output.matches(of: /"(\w+)": ([0-9.]+)/).reduce(into: [:]) { $0[$1.1] = Double($1.2) }
        // The processes of a busy machine wait for a core one after another.
        let bound = .seconds(1) + meter.worstLateness(from: start, to: .now) * 10
        let lost = try #require(figures["crowd_lost_ms"])
        #expect(.milliseconds(lost) < bound)
        #expect(try #require(figures["crowd_descriptors"]) < 1.1)
        #expect(try #require(figures["crowd_client_bytes"]) < 200_000)
    }
}
