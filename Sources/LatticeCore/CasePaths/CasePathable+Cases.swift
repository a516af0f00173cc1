import IssueReporting

extension CasePathable {
    /// Whether this value is in the case: `action.is(\.loaded)`.
    @inlinable
    public func `is`<Payload>(_ path: CaseKeyPath<Self, Payload>) -> Bool {
        AnyCasePath(path).extract(from: self) != nil
    }

    /// The payload of a case: nil while the value is in another one.
    ///
    /// Setting a payload makes the case the active one, whichever was active before. Through an optional chain only an
    /// active case is changed: `state[case: \.loaded]?.count += 1`. Setting nil changes nothing; while the case is
    /// active it also reports an issue, because it does not say which case is to follow.
    public subscript<Payload>(case path: CaseKeyPath<Self, Payload>) -> Payload? {
        @inlinable get { AnyCasePath(path).extract(from: self) }
        @inlinable set {
            if let newValue {
                self = AnyCasePath(path).embed(newValue)
            } else if self.is(path) {
                reportRemoval()
            }
            // Else an optional chain through an inactive case writes back the nil that it has read.
        }
    }

    /// Changes the payload of a case in place. If the value is in another case, reports an issue and changes nothing.
    ///
    /// - Parameters:
    ///   - path: the case, which has to be the active one.
    ///   - change: gets the payload.
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
            \(Self.self) stays in the case '\(activeCase)': nil was assigned to the payload of a case, which does not say \
            what is to follow. Assign a value of the enum instead.
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
            \(Self.self) was not modified: it is in the case '\(activeCase)', and the case to modify is '\(name)'. Ask is(_:) first, \
            or assign to value[case:] to change the case.
            """
        )
    }

    /// The name of the case that this value is in, for messages.
    private var activeCase: String {
        Mirror(reflecting: self).children.first?.label ?? "\(self)"
    }
}
