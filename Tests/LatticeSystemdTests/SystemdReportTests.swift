import Testing

@testable import LatticeSystemd

/// Tests what is due to systemd, without a socket.
@Suite struct SystemdReportTests {
    private struct Unreadable: Error, CustomStringConvertible {
        let description = "line 3"
    }

    /// An input, or a message that systemd has taken or that was lost.
    enum Step: Sendable {
        case probed([String]), reloadBegins, reloadEnds, reloadFails
        case taken(String), lost(String)
    }

    private static let begin = Step.taken("READY=1|STATUS=Running.")
    private static let broken = Step.taken("READY=1|STATUS=The configuration was not reloaded: line 3")

    static let runs: [[Step]] = [
        [begin, .probed([])],
        [.lost("READY=1|STATUS=Running."), .probed(["A."]), .taken("READY=1|STATUS=A.")],
        // A status that was lost is due until systemd has it.
        [begin, .probed(["A.", "B."]), .lost("STATUS=A. B."), .probed(["A.", "B."]), .taken("STATUS=A. B.")],
        [begin, .probed(["A."]), .lost("STATUS=A."), .probed([])],
        [begin, .probed(["A."]), .taken("STATUS=A."), .probed([]), .taken("STATUS=Running.")],
        // A reload shows the problems again.
        [
            begin, .probed(["A."]), .taken("STATUS=A."), .reloadBegins, .taken("RELOADING=1"), .reloadEnds,
            .lost("READY=1|STATUS=A."), .probed([]), .taken("READY=1|STATUS=Running."),
        ],
        [
            begin, .reloadBegins, .lost("RELOADING=1"), .probed([]), .lost("RELOADING=1"), .reloadEnds,
            .taken("RELOADING=1"), .taken("READY=1|STATUS=Running."),
        ],
        [begin, .reloadBegins, .taken("RELOADING=1"), .probed(["A."]), .taken("STATUS=A."), .probed(["A."])],
        // The error of a reload is shown until the next one.
        [
            begin, .reloadBegins, .taken("RELOADING=1"), .reloadFails, broken, .probed(["A."]),
            .taken("STATUS=A. The configuration was not reloaded: line 3"), .reloadBegins, .taken("RELOADING=1"),
            .reloadEnds, .taken("READY=1|STATUS=A."),
        ],
    ]

    @Test("What systemd does not know is due until it has it", arguments: runs)
    func isDue(_ steps: [Step]) {
        var report = SystemdReport()
        for step in steps {
            let due = report.next?.map { $0.text.prefix { $0 != "\n" } }.joined(separator: "|")
            switch step {
            case .probed(let problems): report.probed(problems)
            case .reloadBegins: report.reloadBegins()
            case .reloadEnds: report.reloadEnded(nil)
            case .reloadFails: report.reloadEnded(Unreadable())
            case .lost(let message): #expect(due == message)
            case .taken(let message):
                #expect(due == message)
                report.sent()
            }
        }
        #expect(report.next == nil)
    }
}
