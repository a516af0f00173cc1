import Testing

@Suite struct ObservableStateDiagnosticsTests {
    private func expectWrongKind(
        _ declaration: String,
        _ message: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        expectExpansion(
            of: "@ObservableState\n\(declaration)",
            to: declaration,
            diagnostics: [
                DiagnosticSpec(
                    message: message,
                    line: 1,
                    column: 1,
                    fixIts: [FixItSpec(message: "Remove '@ObservableState'")]
                )
            ],
            fixed: declaration,
            macros: .observableState
        )
    }

    @Test func onlyStructsAndEnums() {
        expectWrongKind(
            "final class Profile {\n    var name = \"\"\n}",
            "'@ObservableState' cannot be applied to class type 'Profile'"
        )
        expectWrongKind(
            "public actor Profile {\n}",
            "'@ObservableState' cannot be applied to actor type 'Profile'"
        )
        expectWrongKind(
            "protocol Profile {\n}",
            "'@ObservableState' can only be applied to a struct or an enum, not to protocol 'Profile'"
        )
    }

    @Test func marksOfObservable() {
        expectExpansion(
            of: """
                @ObservableState
                enum Name {
                    @ObservationIgnored
                    static var cache = 0
                    @Observation.ObservationTracked static var name = ""
                }
                """,
            to: """
                enum Name {
                    @ObservationIgnored
                    static var cache = 0
                    @Observation.ObservationTracked static var name = ""

                    var _$id: Lattice.ObservableStateID {
                        switch self {

                        }
                    }

                    mutating func _$willModify() {
                        switch self {

                        }
                    }
                }

                extension Name: nonisolated Lattice.ObservableState {
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "'@ObservationIgnored' cannot be used in '@ObservableState'",
                    line: 3,
                    column: 5,
                    fixIts: [FixItSpec(message: "Replace with '@ObservationStateIgnored'")]
                ),
                DiagnosticSpec(
                    message: "'@ObservationTracked' cannot be used in '@ObservableState'",
                    line: 5,
                    column: 5,
                    fixIts: [FixItSpec(message: "Replace with '@ObservationStateTracked'")]
                ),
            ],
            fixed: """
                @ObservableState
                enum Name {
                    @ObservationStateIgnored
                    static var cache = 0
                    @ObservationStateTracked static var name = ""
                }
                """,
            macros: .observableState
        )
    }

    @Test func presentationState() {
        expectExpansion(
            of: """
                @ObservableState
                enum Name {
                    @PresentationState static var child: Child?
                }
                """,
            to: """
                enum Name {
                    @PresentationState static var child: Child?

                    var _$id: Lattice.ObservableStateID {
                        switch self {

                        }
                    }

                    mutating func _$willModify() {
                        switch self {

                        }
                    }
                }

                extension Name: nonisolated Lattice.ObservableState {
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: "'@PresentationState' cannot be used in '@ObservableState'",
                    line: 3,
                    column: 5,
                    fixIts: [FixItSpec(message: "Remove '@PresentationState'")]
                )
            ],
            fixed: """
                @ObservableState
                enum Name {
                    static var child: Child?
                }
                """,
            macros: .observableState
        )
    }

    @Test func marksOfObservableInAStructAreSeenInsideIfToo() {
        let expanded = """
            struct Name {
                #if DEBUG
                @ObservationIgnored static var cache = 0
                #endif

                @Lattice.ObservationStateIgnored var _$observationRegistrar = Lattice.ObservationStateRegistrar()

                var _$id: Lattice.ObservableStateID {
                    _$observationRegistrar.id
                }

                mutating func _$willModify() {
                    _$observationRegistrar._$willModify()
                }

                mutating func _$takePlace(
                    of shown: Self,
                    _ changes: inout Lattice._ObservationChanges
                ) -> Bool {
                    _$observationRegistrar.takePlace(of: shown._$observationRegistrar, isSame: true, changes)
                    return true
                }
            }

            extension Name: nonisolated Lattice.ObservableState {
            }
            """
        expectExpansion(
            of: """
                @ObservableState
                struct Name {
                    #if DEBUG
                    @ObservationIgnored static var cache = 0
                    #endif
                }
                """,
            to: expanded,
            diagnostics: [
                DiagnosticSpec(
                    message: "'@ObservationIgnored' cannot be used in '@ObservableState'",
                    line: 4,
                    column: 5,
                    fixIts: [FixItSpec(message: "Replace with '@ObservationStateIgnored'")]
                )
            ],
            macros: .observableState
        )
    }

    @Test func aPrivateNestedType() {
        expectExpansion(
            of: """
                enum Space {
                    @ObservableState
                    private enum Name {
                    }
                }
                """,
            to: """
                enum Space {
                    private enum Name {

                        var _$id: Lattice.ObservableStateID {
                            switch self {

                            }
                        }

                        mutating func _$willModify() {
                            switch self {

                            }
                        }
                    }
                }

                extension Space.Name: nonisolated Lattice.ObservableState {
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: """
                        '@ObservableState' extends 'Name' at the top of the file, where this private type cannot be \
                        seen: make it 'fileprivate'
                        """,
                    line: 3,
                    column: 5,
                    fixIts: [FixItSpec(message: "Replace 'private' with 'fileprivate'")]
                )
            ],
            macros: .observableState
        )
    }

    @Test func severalVariablesInOneDeclaration() {
        let members = """

                @Lattice.ObservationStateIgnored var _$observationRegistrar = Lattice.ObservationStateRegistrar()

                var _$id: Lattice.ObservableStateID {
                    _$observationRegistrar.id
                }

                mutating func _$willModify() {
                    _$observationRegistrar._$willModify()
                }

                mutating func _$takePlace(
                    of shown: Self,
                    _ changes: inout Lattice._ObservationChanges
                ) -> Bool {
                    _$observationRegistrar.takePlace(of: shown._$observationRegistrar, isSame: true, changes)
                    if !changes.settle(&self._x, over: shown._x) {
                        changes.note(\\.x, of: shown, _$observationRegistrar)
                    }
                    if !changes.settle(&self._y, over: shown._y) {
                        changes.note(\\.y, of: shown, _$observationRegistrar)
                    }
                    if !changes.settle(&self._name, over: shown._name) {
                        changes.note(\\.name, of: shown, _$observationRegistrar)
                    }
                    return true
                }
            }

            extension Point: nonisolated Lattice.ObservableState {
            }
            """
        expectExpansion(
            of: """
                @ObservableState
                struct Point {
                    // Where it is.
                    private var x, y: Int, name = "p"
                    static var one = 1, two = 2
                }
                """,
            to: """
                struct Point {
                    // Where it is.
                    private var x, y: Int, name = "p"
                    static var one = 1, two = 2
                \(members)
                """,
            diagnostics: [
                DiagnosticSpec(
                    message:
                        "'@ObservableState' observes one variable per declaration: declare each of these separately",
                    line: 4,
                    column: 17,
                    fixIts: [FixItSpec(message: "Declare each variable by itself")]
                )
            ],
            fixed: """
                @ObservableState
                struct Point {
                    // Where it is.
                    private var x: Int
                    private var y: Int
                    private var name = "p"
                    static var one = 1, two = 2
                }
                """,
            macros: .observableState
        )
    }

    /// The expansion of the two structs below.
    private func expansion(_ declaration: String) -> String {
        """
        \(declaration)

            @Lattice.ObservationStateIgnored var _$observationRegistrar = Lattice.ObservationStateRegistrar()

            var _$id: Lattice.ObservableStateID {
                _$observationRegistrar.id
            }

            mutating func _$willModify() {
                _$observationRegistrar._$willModify()
            }

            mutating func _$takePlace(
                of shown: Self,
                _ changes: inout Lattice._ObservationChanges
            ) -> Bool {
                var isSame = true
                isSame = Lattice._$isSameValue(self.id, shown.id) && isSame
                _$observationRegistrar.takePlace(of: shown._$observationRegistrar, isSame: isSame, changes)
                if !changes.settle(&self._text, over: shown._text) {
                    changes.note(\\.text, of: shown, _$observationRegistrar)
                }
                return isSame
            }
        }

        extension Name: nonisolated Lattice.ObservableState {
        }
        """
    }

    @Test func keysOfWrittenNames() {
        func source(_ key: String) -> String {
            """
            struct Name: Codable {
                let id: Int
                @Lattice.ObservationStateTracked
                var text = ""
                enum CodingKeys: String, CodingKey {
                    case id, \(key)
                }
            """
        }
        expectExpansion(
            of: "@ObservableState\n" + source("text = \"t\"") + "\n}",
            to: expansion(source("text = \"t\"")),
            diagnostics: [
                DiagnosticSpec(
                    message: """
                        '@ObservableState' stores 'text' as '_text', which is what a key has to name: 'case _text = "t"'
                        """,
                    line: 7,
                    column: 18,
                    fixIts: [FixItSpec(message: "Replace with 'case _text = \"t\"'")]
                )
            ],
            fixed: "@ObservableState\n" + source("_text = \"t\"") + "\n}",
            macros: .codableObservableState
        )
    }

    @Test func keysWithoutText() {
        func source(_ type: String, _ key: String) -> String {
            """
            struct Name: Codable {
                let id: Int
                @Lattice.ObservationStateTracked
                var text = ""
                enum CodingKeys: \(type) {
                    case \(key), id
                }
            """
        }
        expectExpansion(
            of: "@ObservableState\n" + source("CodingKey", "text") + "\n}",
            to: expansion(source("CodingKey", "text")),
            diagnostics: [
                DiagnosticSpec(
                    message: """
                        '@ObservableState' stores 'text' as '_text', which is what a key has to name: \
                        'case _text = "text"'
                        """,
                    line: 7,
                    column: 14,
                    fixIts: [FixItSpec(message: "Replace with 'case _text = \"text\"'")]
                )
            ],
            fixed: "@ObservableState\n" + source("String, CodingKey", "_text = \"text\"") + "\n}",
            macros: .codableObservableState
        )
    }

    @Test func anEncodingOfAPatchableState() {
        let declaration = """
            enum Name: Patchable {
                func encode(to encoder: any Encoder) throws {
                }
            """
        expectExpansion(
            of: "@ObservableState\n\(declaration)\n}",
            to: """
                \(declaration)

                    var _$id: Lattice.ObservableStateID {
                        switch self {

                        }
                    }

                    mutating func _$willModify() {
                        switch self {

                        }
                    }
                }

                extension Name: nonisolated Lattice.ObservableState {
                }
                """,
            diagnostics: [
                DiagnosticSpec(
                    message: """
                        'Name' has its own 'encode(to:)', which '@ObservableState' cannot follow: write \
                        'encodePatch(from:to:)' and 'apply(_:)' by hand
                        """,
                    line: 3,
                    column: 10
                )
            ],
            macros: .codableObservableState
        )
    }
}
