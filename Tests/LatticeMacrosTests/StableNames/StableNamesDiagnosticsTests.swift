import Testing

@Suite struct StableNamesDiagnosticsTests {
    /// A declaration that stays as it is.
    private func expectProblem(
        _ declaration: String,
        _ message: String,
        line: Int = 1,
        column: Int = 1,
        fixIt: String? = nil
    ) {
        expectExpansion(
            of: "@StableNames\n\(declaration)",
            to: declaration,
            diagnostics: [
                DiagnosticSpec(
                    message: message,
                    line: line,
                    column: column,
                    fixIts: fixIt.map { [FixItSpec(message: $0)] } ?? []
                )
            ],
            fixed: fixIt == nil ? nil : declaration,
            macros: .stableNames
        )
    }

    @Test(arguments: [
        ("struct Clerk {\n}", "struct 'Clerk'"), ("final class Clerk {\n}", "class 'Clerk'"),
        ("actor Clerk {\n}", "actor 'Clerk'"), ("enum Clerk {\n}", "enum 'Clerk'"),
    ])
    func onlyDistributedActorsAndProtocols(declaration: String, name: String) {
        expectProblem(
            declaration,
            """
            '@StableNames' can only be applied to a distributed actor, or to a protocol of one, not to \(name): nothing \
            else has methods that are called from elsewhere
            """,
            fixIt: "Remove '@StableNames'"
        )
    }

    @Test func aTableThatIsThere() {
        expectProblem(
            "distributed actor Clerk {\n    static var stableMethods: [StableMethod] { [] }\n}",
            "'@StableNames' writes 'stableMethods': remove this one, or the macro",
            line: 3,
            column: 16,
            fixIt: "Remove '@StableNames'"
        )
    }

    @Test(arguments: [
        ("func same<Value: Codable>(_ value: Value) {}", 26), ("func same(_ value: some Codable) {}", 36),
    ])
    func genericMethods(function: String, column: Int) {
        expectProblem(
            "distributed actor Clerk {\n    distributed \(function)\n}",
            """
            'same(_:)' is generic, and a table cannot say with which types it is called: write a method for each type, \
            or move it into an extension, where it is called by the compiler's name
            """,
            line: 3,
            column: column
        )
    }

    @Test func genericRequirements() {
        expectProblem(
            "protocol Clerk {\n    distributed func same<Value: Codable>(_ value: Value)\n}",
            """
            'same(_:)' is generic, and a table cannot say with which types it is called: write a method for each type, \
            or move it into a protocol without this macro, where it is called by the compiler's name
            """,
            line: 3,
            column: 26
        )
    }

    @Test func methodsOfTheSameName() {
        expectProblem(
            """
            distributed actor Clerk {
                distributed func add(_ a: Int, to b: Int) {}
                distributed func add(_ a: String, to b: String) {}
            }
            """,
            """
            'add(_:to:)' is declared twice, and the name does not distinguish the types: give one of them another label, or \
            move it into an extension, where it is called by the compiler's name
            """,
            line: 4,
            column: 22
        )
    }

    @Test func privateActorsInsideOfTypes() {
        expectExpansion(
            of: """
                enum Shop {
                    @StableNames
                    private distributed actor Clerk: StableNamed {
                    }
                }
                """,
            to: """
                enum Shop {
                    private distributed actor Clerk: StableNamed {
                    }
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: """
                        '@StableNames' extends 'Clerk' at the top of the file, where this private type cannot be seen: \
                        make it 'fileprivate'
                        """,
                    line: 3,
                    column: 5,
                    fixIts: [FixItSpec(message: "Replace 'private' with 'fileprivate'")]
                )
            ],
            fixed: """
                enum Shop {
                    @StableNames
                    fileprivate distributed actor Clerk: StableNamed {
                    }
                }
                """,
            macros: .stableNames
        )
    }
}
