import Testing

/// Each misuse of `@Interactor` and `@ViewStateReducer`: one message, its place, its fix-it.
struct ComposableDiagnosticsTests {
    @Test(
        "A kind of declaration that cannot conform is an error (W30)",
        arguments: [
            ("Interactor", "an interactor"), ("ViewStateReducer", "a view state reducer"),
        ]
    )
    func wrongKind(macro: String, noun: String) {
        expectExpansion(
            of: "@\(macro)<Int, Int>\nprotocol P {\n    var body: Int { get }\n}",
            to: "protocol P {\n    var body: Int { get }\n}",
            diagnostics: [
                DiagnosticSpec(
                    message: """
                        '@\(macro)' cannot be applied to protocol 'P': only a struct, an enum, a class or an actor can \
                        be \(noun)
                        """,
                    line: 1,
                    column: 1,
                    fixIts: [FixItSpec(message: "Remove '@\(macro)'")]
                )
            ],
            fixed: "protocol P {\n    var body: Int { get }\n}",
            macros: .lattice
        )
    }

    @Test(
        "A wrong number of arguments is reported once, whatever the members (W30)",
        arguments: [
            ("<Int>", 1), ("<Int, String, (Int, Int)>", 3), ("<A<Int, Int>>", 1),
        ]
    )
    func argumentCount(arguments: String, count: Int) {
        for members in ["", "\n    let x = 1\n    let y = 2\n"] {
            expectExpansion(
                of: "@Interactor\(arguments) struct S {\(members)}",
                to: "struct S {\(members)}",
                diagnostics: [
                    DiagnosticSpec(
                        message: """
                            '@Interactor' takes two generic arguments, 'DomainState' and 'Action', or none, but not \
                            \(count)
                            """,
                        line: 1,
                        column: 12
                    )
                ],
                macros: .lattice
            )
        }
    }

    @Test(
        "Swapped arguments are reported if their names show it",
        arguments: [
            ("Interactor", "CounterAction", "CounterState", "'DomainState' first, then the 'Action'"),
            ("Interactor", "Counter.Action", "Counter.State", "'DomainState' first, then the 'Action'"),
            ("ViewStateReducer", "CounterViewState", "CounterState", "'DomainState' first, then the 'ViewState'"),
        ]
    )
    func swappedTypes(macro: String, first: String, second: String, order: String) {
        let member = "let x = 1"
        func source(_ first: String, _ second: String) -> String {
            "@\(macro)<\(first), \(second)>\nstruct Counter {\n    \(member)\n}"
        }
        expectExpansion(
            of: source(first, second),
            to: """
                struct Counter {
                    \(member)

                    typealias DomainState = \(first)

                    typealias \(macro == "Interactor" ? "Action" : "ViewState") = \(second)
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "'@\(macro)' takes the \(order): '@\(macro)<\(second), \(first)>'",
                    line: 1,
                    column: macro.count + 2,
                    severity: .warning,
                    fixIts: [FixItSpec(message: "Replace with '<\(second), \(first)>'")]
                )
            ],
            fixed: source(second, first),
            macros: .latticeWithoutConformances
        )
    }

    @Test(
        "Arguments whose names do not show their places are accepted",
        arguments: [
            ("Interactor", "CounterState", "CounterAction"), ("Interactor", "LastAction", "Int"),
            ("Interactor", "ActionState", "StateAction"), ("ViewStateReducer", "CounterState", "CounterViewState"),
            ("ViewStateReducer", "OldViewState", "NewViewState"), ("Interactor", "LastAction", "NextAction"),
        ]
    )
    func placesAreNotKnown(macro: String, first: String, second: String) {
        expectExpansion(
            of: "@\(macro)<\(first), \(second)>\nstruct Counter {\n    let x = 1\n}",
            to: """
                struct Counter {
                    let x = 1

                    typealias DomainState = \(first)

                    typealias \(macro == "Interactor" ? "Action" : "ViewState") = \(second)
                }
                """,
            macros: .latticeWithoutConformances
        )
    }

    @Test(
        "An alias that the macro writes is reported, whether it is the same or another one",
        arguments: ["CounterState", "Int"]
    )
    func redundantTypeAlias(type: String) {
        expectExpansion(
            of: """
                @Interactor<CounterState, CounterAction>
                struct Counter {
                    let x = 1
                    // The state.
                    typealias DomainState = \(type)

                    func interact(state: inout DomainState, action: Action) -> Emission<Action> { .none }
                }
                """,
            to: """
                struct Counter {
                    let x = 1
                    // The state.
                    typealias DomainState = \(type)

                    func interact(state: inout DomainState, action: Action) -> Emission<Action> { .none }

                    typealias Action = CounterAction
                }

                extension Counter: nonisolated Lattice.Interactor {
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: """
                        Consider removing explicit `typealias DomainState = \(type)`. This is handled by the \
                        `@Interactor` macro.
                        """,
                    line: 5,
                    column: 5,
                    severity: .warning,
                    fixIts: [FixItSpec(message: "Remove `typealias DomainState = \(type)`")]
                )
            ],
            fixed: """
                @Interactor<CounterState, CounterAction>
                struct Counter {
                    let x = 1

                    func interact(state: inout DomainState, action: Action) -> Emission<Action> { .none }
                }
                """,
            macros: .lattice
        )
    }

    @Test func aliasesWithoutArgumentsAreTheTypesOwn() {
        let type = """
            struct Counter {
                typealias DomainState = Int
                typealias Action = Int
                let body = EmptyInteractor<Int, Int>()
            }
            """
        expectExpansion(
            of: "@Interactor\n\(type)",
            to: "\(type)\n\nextension Counter: nonisolated Lattice.Interactor {\n}",
            macros: .lattice
        )
    }

    @Test(
        "A nested type or generic parameter that contradicts the macro's argument is reported",
        arguments: [
            ("struct Counter", "enum Action {}", 4, 10), ("struct Counter<Action>", "let x = 1", 2, 16),
        ]
    )
    func contradictingType(declaration: String, member: String, line: Int, column: Int) {
        let members = """
                func interact(state: inout Int, action: Action) -> Emission<Action> { .none }
                \(member)
            """
        expectExpansion(
            of: "@Interactor<Int, String>\n\(declaration) {\n\(members)\n}",
            to: """
                \(declaration) {
                \(members)

                    typealias DomainState = Int
                }

                extension Counter: nonisolated Lattice.Interactor {
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: """
                        'Action' is the Interactor's 'Action', but '@Interactor' is given 'String' for it: rename this \
                        type, or remove the generic arguments
                        """,
                    line: line,
                    column: column,
                    fixIts: [FixItSpec(message: "Remove '<Int, String>'")]
                )
            ],
            fixed: "@Interactor\n\(declaration) {\n\(members)\n}",
            macros: .lattice
        )
    }

    @Test(
        "A type with neither a body nor the method that replaces it is reported",
        arguments: [
            (
                "Interactor", "an interactor", "interact(state:action:)",
                "func interact(state: inout DomainState, action: Action) -> Emission<Action>"
            ),
            (
                "ViewStateReducer", "a view state reducer", "reduce(_:into:)",
                "func reduce(_ domainState: DomainState, into viewState: inout ViewState)"
            ),
        ]
    )
    func missingWork(macro: String, noun: String, method: String, signature: String) {
        let members = "    static var body: Int { 1 }\n    func \(method.prefix(while: { $0 != "(" }))(other: Int) {}"
        let diagnostic = DiagnosticSpec(
            message: """
                'Counter' needs 'body' or '\(method)' to be \(noun). If an extension has it, declare the conformance to \
                '\(macro)' there, because '@\(macro)' cannot see it.
                """,
            line: 2,
            column: 15,
            fixIts: [FixItSpec(message: "Add 'body'"), FixItSpec(message: "Add '\(method)'")]
        )
        for (fixIt, added) in [("body", "var body: some \(macro)Of<Self>"), (method, signature)] {
            expectExpansion(
                of: "@\(macro)\npublic struct Counter {\n\(members)\n}",
                to: "public struct Counter {\n\(members)\n}",
                diagnostics: [diagnostic],
                applying: "Add '\(fixIt)'",
                fixed: """
                    @\(macro)
                    public struct Counter {
                    \(members)

                        public \(added) {
                            <#\(fixIt == "body" ? macro : "code")#>
                        }
                    }
                    """,
                macros: .lattice
            )
        }
    }

    @Test func missingWorkInAnEmptyType() {
        expectExpansion(
            of: """
                enum Feature {
                    @Interactor final class Counter {}
                }
                """,
            to: """
                enum Feature {
                    final class Counter {}
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: """
                        'Counter' needs 'body' or 'interact(state:action:)' to be an interactor. If an extension has it, \
                        declare the conformance to 'Interactor' there, because '@Interactor' cannot see it.
                        """,
                    line: 2,
                    column: 29,
                    fixIts: [FixItSpec(message: "Add 'body'"), FixItSpec(message: "Add 'interact(state:action:)'")]
                )
            ],
            applying: "Add 'body'",
            fixed: """
                enum Feature {
                    @Interactor final class Counter {
                        var body: some InteractorOf<Counter> {
                            <#Interactor#>
                        }
                    }
                }
                """,
            macros: .lattice
        )
    }

    @Test(
        "A body that is an existential is reported",
        arguments: [
            ("any InteractorOf<Self>", "InteractorOf<Self>", "Replace 'any' with 'some'"),
            ("InteractorOf<Self>", "InteractorOf<Self>", "Add 'some'"),
            ("any Interactor<S, A> & Sendable", "Interactor<S, A> & Sendable", "Replace 'any' with 'some'"),
            ("Interactor<S, A>", "Interactor<S, A>", "Add 'some'"),
        ]
    )
    func existentialBody(type: String, constraint: String, fixIt: String) {
        expectExpansion(
            of: """
                @Interactor<S, A>
                struct Counter {
                    let body: \(type) = EmptyInteractor<S, A>()
                }
                """,
            to: """
                struct Counter {
                    let body: \(type) = EmptyInteractor<S, A>()

                    typealias DomainState = S

                    typealias Action = A
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: """
                        The type of 'body' has to conform to 'Interactor' itself, which 'any \(constraint)' does not: \
                        write 'some \(constraint)'
                        """,
                    line: 3,
                    column: 15,
                    fixIts: [FixItSpec(message: fixIt)]
                )
            ],
            fixed: """
                @Interactor<S, A>
                struct Counter {
                    let body: some \(constraint) = EmptyInteractor<S, A>()
                }
                """,
            macros: .lattice
        )
    }

    @Test(
        "A body with other generic arguments than the macro is reported",
        arguments: [
            ("struct", "Interactor<S, String>", "InteractorOf<Self>"),
            ("final class", "Lattice.Interactor<[S], A>", "InteractorOf<Counter>"),
            ("enum", "Interactor<A, S>", "InteractorOf<Self>"),
        ]
    )
    func otherGenericsOfBody(kind: String, constraint: String, replacement: String) {
        expectExpansion(
            of: """
                @Interactor<S, A>
                \(kind) Counter {
                    var body: some \(constraint) & Sendable { return one }
                }
                """,
            to: """
                \(kind) Counter {
                    var body: some \(constraint) & Sendable { return one }

                    typealias DomainState = S

                    typealias Action = A
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: """
                        Generic parameters have already been applied to '@Interactor', and those of 'body' differ from \
                        them. Use 'some \(replacement)' here.
                        """,
                    line: 3,
                    column: 20,
                    fixIts: [FixItSpec(message: "Replace with 'some \(replacement)'")]
                )
            ],
            fixed: """
                @Interactor<S, A>
                \(kind) Counter {
                    var body: some \(replacement) & Sendable { return one }
                }
                """,
            macros: .lattice
        )
    }

    @Test func theSameGenericsMayBeSpelledWithOtherSpaces() {
        expectExpansion(
            of: """
                @Interactor<[String:Int], (Int,Int)>
                struct Counter {
                    let body: some Interactor<[String: Int], (Int, Int)> = make()
                }
                """,
            to: """
                struct Counter {
                    let body: some Interactor<[String: Int], (Int, Int)> = make()

                    typealias DomainState = [String: Int]

                    typealias Action = (Int, Int)
                }

                extension Counter: nonisolated Lattice.Interactor {
                }
                """,
            macros: .lattice
        )
    }

    @Test(
        "Members of an isolated type are reported",
        arguments: [
            ("@MainActor\nfinal class", "the main actor"), ("@Swift.MainActor\nstruct", "the main actor"),
            ("\nactor", "the actor"),
        ]
    )
    func isolatedMembers(declaration: String, isolation: String) {
        let prefix = declaration.hasPrefix("\n") ? String(declaration.dropFirst()) : declaration
        let message = """
            is isolated to \(isolation), but a view state reducer is called by the runtime that hosts it, wherever that \
            runs: mark it 'nonisolated'
            """
        let line = declaration.hasPrefix("\n") ? 2 : 3
        let fixIts = [FixItSpec(message: "Add 'nonisolated'")]
        expectExpansion(
            of: """
                @ViewStateReducer
                \(prefix) Reducer {
                    public var body: some ViewStateReducer<D, V> { return one }
                    nonisolated func reduce(_ d: D, into v: inout V) {}
                    func initialViewState(for d: D) -> V { V() }
                    func buildViewState(reducerBlock: Int) {}
                    func other() {}
                }
                """,
            to: """
                \(prefix) Reducer {
                    public var body: some ViewStateReducer<D, V> { return one }
                    nonisolated func reduce(_ d: D, into v: inout V) {}
                    func initialViewState(for d: D) -> V { V() }
                    func buildViewState(reducerBlock: Int) {}
                    func other() {}
                }
                """,
            diagnostics: [
                DiagnosticSpec(message: "'body' \(message)", line: line + 1, column: 16, fixIts: fixIts),
                DiagnosticSpec(message: "'initialViewState' \(message)", line: line + 3, column: 10, fixIts: fixIts),
            ],
            fixed: """
                @ViewStateReducer
                \(prefix) Reducer {
                    public nonisolated var body: some ViewStateReducer<D, V> { return one }
                    nonisolated func reduce(_ d: D, into v: inout V) {}
                    nonisolated func initialViewState(for d: D) -> V { V() }
                    func buildViewState(reducerBlock: Int) {}
                    func other() {}
                }
                """,
            macros: .lattice
        )
    }

    @Test func aPrivateNestedTypeCannotBeExtended() {
        expectExpansion(
            of: """
                struct Feature {
                    @Interactor private struct Counter {
                        let body = EmptyInteractor<Int, Int>()
                    }
                }
                """,
            to: """
                struct Feature {
                    private struct Counter {
                        let body = EmptyInteractor<Int, Int>()
                    }
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: """
                        '@Interactor' extends 'Counter' at the top of the file, where this private type cannot be seen: \
                        make it 'fileprivate'
                        """,
                    line: 2,
                    column: 17,
                    fixIts: [FixItSpec(message: "Replace 'private' with 'fileprivate'")]
                )
            ],
            fixed: """
                struct Feature {
                    @Interactor fileprivate struct Counter {
                        let body = EmptyInteractor<Int, Int>()
                    }
                }
                """,
            macros: .lattice
        )
    }
}
