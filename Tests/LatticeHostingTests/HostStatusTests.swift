import LatticeCore
import LatticeHosting
import LatticeWire
import Testing

struct HostStatusTests {
    /// Tests the host status that clients receive, and its description.
    @Test(
        "Clients receive the host status that the coordinator sends",
        arguments: [
            (.connecting, "connecting"),
            (.serving(.init(incarnation: 2, processID: 71, coordinator: 9)), "serving, incarnation 2, process 71"),
            (
                .serving(.init(incarnation: 2, processID: 71, coordinator: 9, problem: "it is too large")),
                "serving, incarnation 2, process 71, but: it is too large"
            ),
            (
                .unresponsive(.init(incarnation: 2, processID: 71, reason: "a turn takes long")),
                "unresponsive, incarnation 2, process 71: a turn takes long"
            ),
            (
                .restarting(.init(attempt: 3, delay: .milliseconds(400), cause: .limit("turn"))),
                "restarting in 0.4 seconds, attempt 3, after the worker passed its limit: turn"
            ),
            (.draining, "draining"),
            (
                .failed(.init(reason: "It died.", history: ["exited with code 3"])),
                "failed: It died. Before that: exited with code 3."
            ),
            (
                .failed(.init(reason: "It died.", history: ["exit-code: exited with code 3"], result: .startLimitHit)),
                "failed (start-limit-hit): It died. Before that: exit-code: exited with code 3."
            ),
        ] as [(HostStatus, String)]
    )
    func clients(status: HostStatus, sentence: String) {
        #expect(HostStatus(HostStatusMessage(status), from: 9) == status)
        #expect("\(status)" == sentence)
    }
}
