import IssueReporting
import LatticeCore

extension CallSite {
    /// Fails the test at this place.
    func fail(_ message: String) {
        report(message)
    }

    /// Reports a message at this place without failing the test.
    func note(_ message: String) {
        // XCTest has no warnings, so IssueReporting would fail the test.
        if case .xcTest = TestContext.current {
            return print("\(fileID):\(line): \(message)")
        }
        reportIssue(message, severity: .warning, fileID: fileID, filePath: filePath, line: line, column: column)
    }
}
