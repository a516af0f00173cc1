import LatticeCore

extension TestViewModel {
    /// Fails the test if the view state after the last action that was sent or received differs from `expected`.
    public func assertViewState(
        _ expected: ViewState,
        fileID: StaticString = #fileID,
        file: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) where ViewState: Equatable {
        FailureText.other(.viewState, expected: expected, actual: viewState)
            .map(CallSite(fileID, file, line, column).fail)
    }

    /// Compares the effect of an action with the expectation of the test, and shows the new state.
    func check(_ snapshot: Received, _ updateExpectedState: ((inout DomainState) throws -> Void)?, at site: CallSite) {
        let (before, actual, action) = (domainState, snapshot.handled.domainState, snapshot.action)
        func update(_ state: inout DomainState) throws {
            try WorkerLocalAccess.deny { try updateExpectedState?(&state) }
        }
        commit(snapshot)
        func mismatch(_ mismatch: FailureText.Mismatch, _ expected: DomainState) -> String {
            FailureText.mismatch(mismatch, action, expected: expected, actual: actual)
        }
        do {
            switch exhaustivity {
            case .on:
                // The closure has to describe all changes, and only those.
                var expected = before
                try update(&expected)
                let isDescribed = updateExpectedState != nil
                switch (areEqual(expected, actual), isDescribed, isUnchanged: areEqual(before, actual)) {
                case (true, true, true): site.fail(FailureText.emptyExpectation(action))
                case (true, _, _): break
                case (false, false, _): site.fail(mismatch(.unexpectedChange, expected))
                case (false, true, true): site.fail(mismatch(.absentChange, expected))
                case (false, true, false): site.fail(mismatch(.otherState, expected))
                }
            case .off(let showsSkipped):
                // The described changes have to be correct, but there may be others.
                var (expected, described) = (actual, before)
                try update(&expected)
                guard areEqual(expected, actual) else { return site.fail(mismatch(.otherState, expected)) }
                guard showsSkipped else { return }
                try update(&described)
                if !areEqual(described, actual) { site.note(mismatch(.skippedChange, described)) }
            }
        } catch {
            site.fail(FailureText.expectationThrew(error, action))
        }
    }
}
