import IssueReporting

/// What a binding to a property of a case does while another case is active.
@MainActor
final class InactiveCase<Member> {
    private var lastSeen: Member?
    private var isReported = false
    private let fileID: StaticString
    private let filePath: StaticString
    private let line: UInt
    private let column: UInt

    init(lastSeen: Member?, fileID: StaticString, filePath: StaticString, line: UInt, column: UInt) {
        self.lastSeen = lastSeen
        self.fileID = fileID
        self.filePath = filePath
        self.line = line
        self.column = column
    }

    /// The value of the property, or the one that it had last.
    func read(_ active: Member?) -> Member {
        if let active {
            lastSeen = active
            return active
        }
        guard let lastSeen else {
            fatalError(  // A mistake of the view; the forms with a default and with nil have a value.
                """
                \(fileID):\(line): a binding to a property of a case was read, and its case has not been active since \
                the binding was made. \(Self.advice)
                """
            )
        }
        report("was read while another case was active, and returned the value it had last")
        return lastSeen
    }

    func reportWrite() {
        report("was written while another case was active, and sent nothing")
    }

    private func report(_ what: String) {
        guard !isReported else { return }
        isReported = true
        reportIssue(
            "A binding to a property of a case \(what). \(Self.advice)",
            fileID: fileID,
            filePath: filePath,
            line: line,
            column: column
        )
    }

    private static var advice: String {
        "Show it only while its case is active, or use sending(_:default:) or sendingIfActive(_:)."
    }
}
