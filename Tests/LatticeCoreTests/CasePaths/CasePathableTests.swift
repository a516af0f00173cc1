import LatticeCore
import Testing

/// Tests the operations of an enum on its own cases.
struct CasePathableTests {
    @Test(arguments: [
        (Screen.idle, [true, false, false, false]),
        (.search(Search()), [false, true, false, false]),
        (.note(nil), [false, false, true, false]),
        (.nested(.search(Search())), [false, false, false, true]),
        (.nested(.idle), [false, false, false, false]),
    ])
    func isAnswersForTheActiveCase(screen: Screen, expected: [Bool]) {
        #expect([screen.is(\.idle), screen.is(\.search), screen.is(\.note), screen.is(\.nested.search)] == expected)
    }

    @Test func payloadsAreOptionalProperties() {
        let screen = Screen.search(Search(query: "a"))
        #expect(screen.search?.query == "a")
        #expect(screen.idle == nil)
        #expect(screen.default == nil)
        #expect(Screen.default(3).default == 3)
        #expect(Screen.nested(.nested(.idle)).nested?.nested?.idle != nil)
    }

    @Test func aPayloadIsReadByItsCase() {
        let screen = Screen.nested(.search(Search(query: "a")))
        #expect(screen[case: \.nested.search]?.query == "a")
        #expect(screen[case: \.search] == nil)
    }

    @Test func settingAPayloadChangesTheCase() {
        var screen = Screen.idle
        screen[case: \.search] = Search(query: "a")
        #expect(screen == .search(Search(query: "a")))
        screen[case: \.nested.position] = (x: 1, y: 2)
        #expect(screen == .nested(.position(x: 1, y: 2)))
        screen[case: \.idle] = ()
        #expect(screen == .idle)
    }

    @Test func anOptionalChainChangesAnActiveCaseOnly() {
        var screen = Screen.search(Search())
        screen[case: \.search]?.results.append(1)
        #expect(screen == .search(Search(results: [1])))
        screen = .idle
        screen[case: \.search]?.results.append(1)
        #expect(screen == .idle)
    }

    @Test func settingNilIsReported() {
        var screen = Screen.search(Search())
        withKnownIssue {
            screen[case: \.search] = nil
        } matching: { issue in
            issue.comments.map(\.rawValue) == [
                """
                Screen stays in the case 'search', because nil was assigned to the payload of that case and does not \
                name another case. Assign a value of the enum instead.
                """
            ]
        }
        #expect(screen == .search(Search()))
        screen[case: \.note] = nil
        screen[case: \.nested] = nil
        #expect(screen == .search(Search()))
    }

    @Test func modifyChangesThePayload() {
        var screen = Screen.nested(.search(Search()))
        screen.modify(\.nested.search) { $0.query = "a" }
        #expect(screen == .nested(.search(Search(query: "a"))))
        screen = .position(x: 1, y: 2)
        screen.modify(\.position) { $0.x += 10 }
        #expect(screen == .position(x: 11, y: 2))
    }

    @Test(
        "Modifying an inactive case changes nothing and is reported",
        arguments: [
            (Screen.idle, "idle"), (.nested(.idle), "nested"), (.position(x: 1, y: 2), "position"),
        ]
    )
    func modifyReports(screen: Screen, name: String) {
        var modified = screen
        withKnownIssue {
            modified.modify(\.search) { $0.query = "a" }
        } matching: { issue in
            issue.comments.map(\.rawValue) == [
                """
                Screen was not modified, because it is in the case '\(name)' and not in the case 'search'. \
                Check is(_:) first, or assign to value[case:] to change the case.
                """
            ] && issue.sourceLocation?.fileID == #fileID
        }
        #expect(modified == screen)
    }

    @Test func modifyRethrowsErrorsAndKeepsChanges() {
        var screen = Screen.search(Search())
        #expect(throws: Failure.self) {
            try screen.modify(\.search) { search throws in
                search.query = "half"
                throw Failure(description: "no")
            }
        }
        #expect(screen == .search(Search(query: "half")))
    }

    /// The address of the results, if there are any.
    private func storage(_ screen: Screen) -> UnsafeRawPointer? {
        switch screen {
        case .search(let search): search.results.withUnsafeBytes(\.baseAddress)
        case .nested(let inner): storage(inner)
        default: nil
        }
    }

    @Test("A payload is changed in place, without a copy of its storage (W24)")
    func modifyKeepsStorage() {
        var screen = Screen.search(Search(results: Array(1...1_000)))
        let before = storage(screen)
        screen.modify(\.search) { $0.results[0] = -1 }
        #expect(storage(screen) == before)

        var nested = Screen.nested(Screen.nested(.search(Search(results: Array(1...1_000)))))
        let nestedBefore = storage(nested)
        nested.modify(\.nested.nested.search) { $0.results[0] = -1 }
        #expect(storage(nested) == nestedBefore)
    }
}
