import Testing

@Suite struct PatchableDiagnosticsTests {
    /// A declaration that stays as it is.
    private func expectProblem(
        _ declaration: String,
        _ message: String,
        line: Int = 1,
        column: Int = 1,
        fixIt: String? = "Remove '@Patchable'",
        fixed: String? = nil
    ) {
        expectExpansion(
            of: "@Patchable\n\(declaration)",
            to: declaration,
            diagnostics: [
                DiagnosticSpec(
                    message: message,
                    line: line,
                    column: column,
                    fixIts: fixIt.map { [FixItSpec(message: $0)] } ?? []
                )
            ],
            fixed: fixIt == nil ? nil : fixed ?? declaration,
            macros: .patchable
        )
    }

    @Test(arguments: [
        ("final class Card {\n}", "class 'Card'"), ("actor Card {\n}", "actor 'Card'"),
        ("protocol Card {\n}", "protocol 'Card'"),
    ])
    func onlyStructsAndEnums(declaration: String, name: String) {
        expectProblem(
            declaration,
            "'@Patchable' can only be applied to a struct or an enum, not to \(name): an old value must not change"
        )
    }

    @Test func observableStates() {
        expectProblem(
            "@ObservableState struct Row: Codable {\n}",
            """
            '@ObservableState' makes a state patchable that declares the conformance to 'Patchable': declare it, \
            without this macro
            """
        )
    }

    @Test(arguments: [
        "struct Name {\n    func encodePatch(from old: Name, to patch: inout PatchEncoder) {\n    }\n}",
        "enum Name {\n    mutating func apply(_ patch: inout LatticeCore.PatchDecoder) {\n    }\n}",
    ])
    func functionsThatAreThere(declaration: String) {
        let isApply = declaration.contains("apply")
        expectProblem(
            declaration,
            "'@Patchable' writes '\(isApply ? "apply" : "encodePatch")': remove this one, or the macro",
            line: 3,
            column: isApply ? 19 : 10
        )
    }

    @Test func anEncodingOfItsOwn() {
        expectProblem(
            "struct Name {\n    var text = \"\"\n    func encode(to encoder: any Encoder) throws {\n    }\n}",
            """
            'Name' has its own 'encode(to:)', which '@Patchable' cannot follow: write \
            'encodePatch(from:to:)' and 'apply(_:)' by hand
            """,
            line: 4,
            column: 10,
            fixIt: nil
        )
    }

    @Test func severalVariablesInATuple() {
        expectProblem(
            "struct Name {\n    var (x, y) = (1, 2)\n    static let (a, b) = (1, 2)\n}",
            "'@Patchable' sends properties by their names: declare each of these by itself",
            line: 3,
            column: 9,
            fixIt: nil
        )
    }

    @Test func aPrivateNestedType() {
        expectExpansion(
            of: "enum Space {\n    @Patchable\n    private struct Name {\n    }\n}",
            to: "enum Space {\n    private struct Name {\n    }\n}",
            diagnostics: [
                DiagnosticSpec(
                    message: """
                        '@Patchable' extends 'Name' at the top of the file, where this private type cannot be seen: \
                        make it 'fileprivate'
                        """,
                    line: 3,
                    column: 5,
                    fixIts: [FixItSpec(message: "Replace 'private' with 'fileprivate'")]
                )
            ],
            fixed: "enum Space {\n    @Patchable\n    fileprivate struct Name {\n    }\n}",
            macros: .patchable
        )
    }
}
