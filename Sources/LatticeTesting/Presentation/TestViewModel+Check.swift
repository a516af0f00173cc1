import LatticeCore

extension TestViewModel {
    /// Fails the test if the view state after the last action that was sent or received is another one.
    public func assertViewState(
        _ expected: ViewState,
        fileID: StaticString = #fileID,
        file: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) where ViewState: Equatable {
        guard viewState != expected else { return }
        CallSite(fileID, file, line, column).fail(FailureText.viewState(expected: expected, actual: viewState))
    }

    /// Compares what an action led to with what the test expects, and shows it.
    func check(_ snapshot: Received, _ update: ((inout DomainState) throws -> Void)?, at site: CallSite) {
        let (before, actual) = (domainState, snapshot.handled.domainState)
        commit(snapshot)
        do {
            switch exhaustivity {
            case .on: try compare(before, actual, update, snapshot.action, site)
            case .off(let showsSkipped): try confirm(before, actual, update, snapshot.action, site, showsSkipped)
            }
        } catch {
            site.fail(FailureText.expectationThrew(error, snapshot.action))
        }
    }

    /// Everything that changed has to be described, and nothing else.
    private func compare(
        _ before: DomainState,
        _ actual: DomainState,
        _ update: ((inout DomainState) throws -> Void)?,
        _ action: Action,
        _ site: CallSite
    ) throws {
        var expected = before
        try update?(&expected)
        if areEqual(expected, actual) {
            if update != nil, areEqual(before, actual) { site.fail(FailureText.emptyExpectation(action)) }
            return
        }
        let mismatch: FailureText.Mismatch =
            if update == nil { .unexpectedChange } else if areEqual(before, actual) { .absentChange } else {
                .otherState
            }
        site.fail(FailureText.mismatch(mismatch, action, expected: expected, actual: actual))
    }

    /// What is described has to be true; more may have changed.
    private func confirm(
        _ before: DomainState,
        _ actual: DomainState,
        _ update: ((inout DomainState) throws -> Void)?,
        _ action: Action,
        _ site: CallSite,
        _ showsSkipped: Bool
    ) throws {
        var expected = actual
        try update?(&expected)
        guard areEqual(expected, actual) else {
            return site.fail(FailureText.mismatch(.otherState, action, expected: expected, actual: actual))
        }
        guard showsSkipped else { return }
        var described = before
        try update?(&described)
        if !areEqual(described, actual) {
            site.note(FailureText.mismatch(.skippedChange, action, expected: described, actual: actual))
        }
    }
}
