import IssueReporting
import LatticeConcurrency
import LatticeCore

/// A failure that the kit reported, as the test framework would get it.
struct ReportedIssue: Sendable, Equatable, CustomStringConvertible {
    var message: String
    var line: UInt
    var isWarning = false

    var description: String { "line \(line)\(isWarning ? ", warning" : ""): \(message)" }
}

/// Runs `body` and hands back what it reports, instead of failing the test.
@MainActor
func collectIssues(file: StaticString = #filePath, of body: @MainActor () async throws -> Void) async rethrows
    -> [ReportedIssue]
{
    let collector = IssueCollector(file: "\(file)")
    try await withIssueReporters([collector]) { try await body() }
    return collector.issues
}

/// Collects only the messages of the issues that `body` reports.
@MainActor
func collectMessages(file: StaticString = #filePath, of body: @MainActor () async throws -> Void) async rethrows
    -> [String]
{
    try await collectIssues(file: file, of: body).map(\.message)
}

private final class IssueCollector: IssueReporter, Sendable {
    private let file: String
    private let collected = Locked<[ReportedIssue]>([])

    init(file: String) {
        self.file = file
    }

    var issues: [ReportedIssue] { collected.withLock(\.self) }

    func reportIssue(
        _ message: @autoclosure () -> String?,
        severity: IssueSeverity,
        fileID: StaticString,
        filePath: StaticString,
        line: UInt,
        column: UInt
    ) {
        let isHere = "\(filePath)" == file
        // A failure that points elsewhere shows by its line.
        let issue = ReportedIssue(message: message() ?? "", line: isHere ? line : 0, isWarning: severity == .warning)
        collected.withLock { $0.append(issue) }
    }
}
