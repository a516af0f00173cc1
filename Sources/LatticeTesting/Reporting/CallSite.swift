import IssueReporting
import LatticeCore

extension CallSite {
    /// Fails the test here.
    func fail(_ message: String) {
        report(message)
    }

    /// Says something here without failing the test.
    func note(_ message: String) {
        // XCTest knows no warnings: IssueReporting would fail the test.
        if case .xcTest = TestContext.current {
            return print("\(fileID):\(line): \(message)")
        }
        reportIssue(message, severity: .warning, fileID: fileID, filePath: filePath, line: line, column: column)
    }
}
