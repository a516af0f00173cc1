import Testing

/// Each misuse of `@CasePathable`: one message, its place, its fix-it.
struct CasePathableDiagnosticsTests {
    @Test(
        "The macro accepts only enums",
        arguments: [
            ("struct S {}", "struct 'S'"), ("final class C {}", "class 'C'"), ("actor A {}", "actor 'A'"),
            ("protocol P {}", "protocol 'P'"),
        ]
    )
    func notAnEnum(declaration: String, name: String) {
        expectExpansion(
            of: "@CasePathable \(declaration)",
            to: declaration,
            diagnostics: [
                DiagnosticSpec(
                    message: """
                        '@CasePathable' can only be applied to an enum, not to \(name): case paths name the cases of an enum
                        """,
                    line: 1,
                    column: 1,
                    fixIts: [FixItSpec(message: "Remove '@CasePathable'")]
                )
            ],
            fixed: declaration,
            macros: .lattice
        )
    }

    @Test("Messages of one kind have one identifier", arguments: ["struct S {}", "actor A {}"])
    func identifier(declaration: String) throws {
        let expansion = try Expander.expand("@CasePathable \(declaration)", macros: .lattice, applying: [])
        #expect(expansion.diagnostics.map(\.id) == [#"MessageID(domain: "Lattice", id: "casePathableNotAnEnum")"#])
    }

    @Test func fixItKeepsTheCodeAroundTheAttribute() {
        expectExpansion(
            of: """
                // First.
                @CasePathable
                // Second.
                @MainActor
                struct S {
                }
                """,
            to: """
                // First.
                // Second.
                @MainActor
                struct S {
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: """
                        '@CasePathable' can only be applied to an enum, not to struct 'S': case paths name the cases of \
                        an enum
                        """,
                    line: 2,
                    column: 1,
                    fixIts: [FixItSpec(message: "Remove '@CasePathable'")]
                )
            ],
            fixed: """
                // First.
                // Second.
                @MainActor
                struct S {
                }
                """,
            macros: .lattice
        )
    }

    @Test func noCases() {
        expectExpansion(
            of: """
                @CasePathable
                enum Empty {
                    #if DEBUG
                    static let x = 1
                    #endif
                }
                """,
            to: """
                enum Empty {
                    #if DEBUG
                    static let x = 1
                    #endif
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "'Empty' has no cases for '@CasePathable' to make case paths for",
                    line: 2,
                    column: 6,
                    fixIts: [FixItSpec(message: "Remove '@CasePathable'")]
                )
            ],
            fixed: """
                enum Empty {
                    #if DEBUG
                    static let x = 1
                    #endif
                }
                """,
            macros: .lattice
        )
    }

    @Test func noncopyable() {
        expectExpansion(
            of: """
                @CasePathable
                enum Token: Sendable, ~Copyable {
                    case one
                }
                """,
            to: """
                enum Token: Sendable, ~Copyable {
                    case one
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: """
                        '@CasePathable' needs a copyable enum: reading a payload of 'Token' through a case path copies it
                        """,
                    line: 2,
                    column: 23
                )
            ],
            macros: .lattice
        )
    }

    @Test(
        "Members that the macro writes must not exist already",
        arguments: [
            ("struct AllCasePaths {}", "AllCasePaths", 12), ("typealias AllCasePaths = Int", "AllCasePaths", 15),
            ("static var allCasePaths: Int { 1 }", "allCasePaths", 16),
        ]
    )
    func alreadyThere(member: String, name: String, column: Int) {
        let enumeration = """
            enum Action {
                case idle
                \(member)
            }
            """
        expectExpansion(
            of: "@CasePathable\n\(enumeration)",
            to: enumeration,
            diagnostics: [
                DiagnosticSpec(
                    message: "'@CasePathable' writes '\(name)': remove this one, or the macro",
                    line: 4,
                    column: column,
                    fixIts: [FixItSpec(message: "Remove '@CasePathable'")]
                )
            ],
            fixed: enumeration,
            macros: .lattice
        )
    }

    @Test func namesThatDifferInLabelsOnly() {
        let enumeration = """
            enum Action {
                case a(x: Int), a(y: Int)
                #if DEBUG
                case b, a
                #else
                case b
                #endif
            }
            """
        let message = "'@CasePathable' cannot name two cases 'a' that differ in their labels only: rename one"
        expectExpansion(
            of: "@CasePathable\n\(enumeration)",
            to: enumeration,
            diagnostics: [
                DiagnosticSpec(message: message, line: 3, column: 21),
                DiagnosticSpec(message: message, line: 5, column: 13),
            ],
            macros: .lattice
        )
    }

    @Test func aPrivateNestedEnumCannotBeExtended() {
        expectExpansion(
            of: """
                struct Feature {
                    @CasePathable
                    private enum Action {
                        case idle
                    }
                }
                """,
            to: """
                struct Feature {
                    private enum Action {
                        case idle
                    }
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: """
                        '@CasePathable' extends 'Action' at the top of the file, where this private type cannot be seen: \
                        make it 'fileprivate'
                        """,
                    line: 3,
                    column: 5,
                    fixIts: [FixItSpec(message: "Replace 'private' with 'fileprivate'")]
                )
            ],
            fixed: """
                struct Feature {
                    @CasePathable
                    fileprivate enum Action {
                        case idle
                    }
                }
                """,
            macros: .lattice
        )
    }
}
