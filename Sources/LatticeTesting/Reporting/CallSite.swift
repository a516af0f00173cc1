import IssueReporting

/// Where a test called the kit: that is where its failures belong.
struct CallSite: Sendable {
    let fileID: StaticString
    let filePath: StaticString
    let line: UInt
    let column: UInt

    init(_ fileID: StaticString, _ filePath: StaticString, _ line: UInt, _ column: UInt) {
        self.fileID = fileID
        self.filePath = filePath
        self.line = line
        self.column = column
    }

    /// Fails the test here.
    func fail(_ message: String) {
        reportIssue(message, fileID: fileID, filePath: filePath, line: line, column: column)
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
