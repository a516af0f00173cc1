import Foundation
import LatticeCore
import Testing

struct HostingTests {
    @Test(
        arguments: [
            (1, .overloaded, "overloaded"),
            (2, .quarantined, "quarantined"),
            (3, .undecodable, "undecodable"),
            (4, .closed, "closed"),
            (5, .deadlinePassed, "deadline passed"),
            (6, .schema, "schema"),
            (7, .tooLarge, "too large"),
        ] as [(UInt8, EventRejection, String)]
    )
    func rejections(number: UInt8, rejection: EventRejection, text: String) {
        #expect(rejection.code.rawValue == number)
        #expect(EventRejection.Code(rawValue: number) == rejection.code)
        #expect("\(rejection.code)" == text)
    }

    @Test("Rejection codes have names up to the first one of a later version, and none beyond")
    func rejectionNumbers() {
        let named = (1...UInt8.max).filter { "\(EventRejection.Code(rawValue: $0))" != "rejection \($0)" }
        #expect(named == Array(1...9))
    }

    @Test("A rejection code of a later version keeps its number", arguments: [0, 100, 255] as [UInt8])
    func unknownRejectionCodes(number: UInt8) {
        let code = EventRejection.Code(rawValue: number)
        #expect(code.rawValue == number)
        #expect("\(code)" == "rejection \(number)")
        #expect(code != EventRejection.closed.code)
    }

    @Test func rejectionsAreEqualByCode() {
        #expect(EventRejection.closed == .closed.with(reason: "another"))
        #expect(EventRejection.closed != .overloaded)
        #expect(Set([EventRejection.closed, .closed.with(reason: "another")]).count == 1)
    }

    @Test(
        arguments: [
            (.exit(code: 1), "exited with code 1", #"{"kind":1,"number":1}"#),
            (.signal(9), "killed by signal 9 (SIGKILL)", #"{"kind":2,"number":9}"#),
            (.signal(200), "killed by signal 200", #"{"kind":2,"number":200}"#),
            (.hang, "stopped answering", #"{"kind":3}"#),
            (.limit("memory"), "passed its limit: memory", #"{"kind":4,"name":"memory"}"#),
            (.disconnected, "disconnected", #"{"kind":5}"#),
            (
                .statusLost("it was taken"), "ended, and its exit status was lost: it was taken",
                #"{"kind":8,"sentence":"it was taken"}"#
            ),
            (
                .requested(by: "process 7"), "ended, because process 7 asked for it",
                #"{"kind":9,"name":"process 7"}"#
            ),
            (.other(number: 99, sentence: "evicted"), "evicted", #"{"kind":99,"sentence":"evicted"}"#),
            (.other(number: 300, sentence: ""), "ended by cause 300", #"{"kind":300,"sentence":""}"#),
        ] as [(Interruption.Cause, String, String)]
    )
    func causes(cause: Interruption.Cause, text: String, json: String) throws {
        #expect("\(cause)" == text)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(String(decoding: try encoder.encode(cause), as: UTF8.self) == json)
        let interruption = Interruption(cause: cause, incarnation: 2)
        let copy = try JSONDecoder().decode(Interruption.self, from: try encoder.encode(interruption))
        #expect(copy == interruption)
    }

    @Test func aCauseWithoutItsNumberIsAnError() {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Interruption.Cause.self, from: Data(#"{"sentence":"x"}"#.utf8))
        }
    }

    @Test(
        arguments: [
            (.local, "local"),
            (.connecting, "connecting"),
            (.serving(.init(incarnation: 2, processID: 4711)), "serving, incarnation 2, process 4711"),
            (
                .restarting(.init(attempt: 3, delay: .milliseconds(400), cause: .signal(9))),
                "restarting in 0.4 seconds, attempt 3, after the worker was killed by signal 9 (SIGKILL)"
            ),
            (
                .restarting(.init(attempt: 1, delay: .milliseconds(100), cause: .exit(code: 2))),
                "restarting in 0.1 seconds, attempt 1, after the worker exited with code 2"
            ),
            (.draining, "draining"),
            (.failed(HostFailure(reason: "It is gone.")), "failed: It is gone."),
            (
                .failed(HostFailure(reason: "It is gone.", history: ["exited with code 1", "stopped answering"])),
                "failed: It is gone. Before that: exited with code 1; stopped answering."
            ),
        ] as [(HostStatus, String)]
    )
    func hostStatus(status: HostStatus, text: String) {
        #expect("\(status)" == text)
    }

    @Test(
        "Causes use systemd's words where these fit",
        arguments: [
            (.exit(code: 0), "success: exited with code 0"), (.exit(code: 3), "exit-code: exited with code 3"),
            (.signal(9), "signal: killed by signal 9 (SIGKILL)"), (.hang, "watchdog: stopped answering"),
            (.limit("turn"), "watchdog: passed its limit: turn"),
            (.limit("memory"), "oom-kill: passed its limit: memory"),
            (.limit("CPU time"), "signal: passed its limit: CPU time"),
            (.limit("patience"), "passed its limit: patience"),
            (.lackOfResources("EMFILE"), "resources: could not be started: EMFILE"), (.disconnected, "disconnected"),
            (.group("desk"), "ended with its group \"desk\""), (.other(number: 9, sentence: "it left"), "it left"),
        ] as [(Interruption.Cause, String)]
    )
    func results(cause: Interruption.Cause, text: String) {
        #expect(cause.withResult == text)
    }

    @Test("A problem is added once to the status of a serving worker, which keeps its other values")
    func aProblemIsAdded() {
        let serving = HostStatus.serving(.init(incarnation: 2, processID: 4711, coordinator: 9))
        let troubled = HostStatus.serving(
            .init(incarnation: 2, processID: 4711, coordinator: 9, problem: "It is undecodable.")
        )
        #expect(serving.with(problem: "It is undecodable.") == troubled)
        #expect(troubled.with(problem: "Another one.") == troubled)
        #expect(serving.with(problem: nil) == serving)
        #expect(HostStatus.draining.with(problem: "It is undecodable.") == .draining)
    }
}
