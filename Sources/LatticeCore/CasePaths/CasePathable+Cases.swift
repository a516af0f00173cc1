import IssueReporting

extension CasePathable {
    /// Returns whether this value is in a case: `action.is(\.loaded)`.
    @inlinable
    public func `is`<Payload>(_ path: CaseKeyPath<Self, Payload>) -> Bool {
        AnyCasePath(path).extract(from: self) != nil
    }

    /// The payload of a case, or nil if the value is in another case.
    ///
    /// Setting a payload makes the case the active one. With optional chaining, only an active case is changed:
    /// `state[case: \.loaded]?.count += 1`. Setting nil changes nothing. If the case is active, setting nil also
    /// reports an issue, because nil does not say which case should follow.
    public subscript<Payload>(case path: CaseKeyPath<Self, Payload>) -> Payload? {
        @inlinable get { AnyCasePath(path).extract(from: self) }
        @inlinable set {
            if let newValue {
                self = AnyCasePath(path).embed(newValue)
            } else if self.is(path) {
                reportRemoval()
            }
            // Otherwise optional chaining through an inactive case writes back the nil that it has read.
        }
    }

    /// Changes the payload of a case in place. If the value is in another case, this method reports an issue and
    /// changes nothing.
    ///
    /// - Parameters:
    ///   - path: The case, which must be the active one.
    ///   - change: A closure that changes the payload.
    ///   - fileID: The module and file of the call, at which a failure is reported.
    ///   - filePath: The file path of the call, at which a failure is reported.
    ///   - line: The line of the call, at which a failure is reported.
    ///   - column: The column of the call, at which a failure is reported.
    @inlinable
    public mutating func modify<Payload, Failure: Error>(
        _ path: CaseKeyPath<Self, Payload>,
        _ change: (inout Payload) throws(Failure) -> Void,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) throws(Failure) {
        let path = AnyCasePath(path)
        guard try !path.modify(&self, change) else { return }
        reportInactive(path.name, fileID: fileID, filePath: filePath, line: line, column: column)
    }

    @usableFromInline
    func reportRemoval() {
        reportIssue(
            """
            \(Self.self) stays in the case '\(activeCase)', because nil was assigned to the payload of that case and \
            does not name another case. Assign a value of the enum instead.
            """
        )
    }

    @usableFromInline
    func reportInactive(
        _ name: String,
        fileID: StaticString,
        filePath: StaticString,
        line: UInt,
        column: UInt
    ) {
        CallSite(fileID, filePath, line, column).report(
            """
            \(Self.self) was not modified, because it is in the case '\(activeCase)' and not in the case '\(name)'. \
            Check is(_:) first, or assign to value[case:] to change the case.
            """
        )
    }

    /// The name of the active case, for messages.
    private var activeCase: String {
        Mirror(reflecting: self).children.first?.label ?? "\(self)"
    }
}
