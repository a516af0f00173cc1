import IssueReporting

/// The position of a call in the source, where issues of that call are reported.
package struct CallSite: Sendable {
    /// The module and the name of the file.
    package let fileID: StaticString
    /// The path of the file.
    package let filePath: StaticString
    /// The line of the call.
    package let line: UInt
    /// The column of the call.
    package let column: UInt

    /// Creates a call site.
    package init(_ fileID: StaticString, _ filePath: StaticString, _ line: UInt, _ column: UInt) {
        self.fileID = fileID
        self.filePath = filePath
        self.line = line
        self.column = column
    }

    /// Reports an issue at this position.
    package func report(_ message: String) {
        reportIssue(message, fileID: fileID, filePath: filePath, line: line, column: column)
    }
}
