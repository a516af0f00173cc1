import SwiftSyntax
import SwiftSyntaxBuilder

/// Writes the members that make an enum an observable state.
struct EnumStateMembers {
    let declaration: EnumDeclSyntax
    /// The access level of the members with a space after it, or an empty string.
    let access: String

    var source: [DeclSyntax] {
        let cases = numberedCases
        return [
            """
            \(raw: access)var _$id: Lattice.ObservableStateID {
                switch self {
            \(raw: text(of: cases) { $0.identity })
                }
            }
            """,
            """
            \(raw: access)mutating func _$willModify() {
                switch self {
            \(raw: text(of: cases) { $0.renaming })
                }
            }
            """,
        ] + (cases.isEmpty ? [] : [takePlace(cases)])
    }

    /// Returns the function `_$takePlace`. An enum without cases does not need it, because it has no values and the
    /// compiler would warn about the code.
    private func takePlace(_ cases: [SyntaxIdentifier: StateCase]) -> DeclSyntax {
        """
        \(raw: access)mutating func _$takePlace(
            of shown: Self,
            _ changes: inout Lattice._ObservationChanges
        ) -> Bool {
        \(raw: text(of: cases) { $0.settling })
            Lattice._ObservationChanges.place(&self)
            return false
        }
        """
    }

    /// The cases with a unique number for each. Cases inside an `#if` are included.
    private var numberedCases: [SyntaxIdentifier: StateCase] {
        let elements = declaration.memberBlock.members.all
            .compactMap { $0.as(EnumCaseDeclSyntax.self) }
            .flatMap(\.elements)
        let cases = elements.enumerated().map { ($1.id, StateCase(element: $1, number: $0)) }
        return Dictionary(uniqueKeysWithValues: cases)
    }

    private func text(of cases: [SyntaxIdentifier: StateCase], for write: (StateCase) -> [String]) -> String {
        let lines = declaration.memberBlock.members.source { member in
            member.as(EnumCaseDeclSyntax.self)?.elements.flatMap { cases[$0.id].map(write) ?? [] } ?? []
        }
        return lines.indented
    }
}

/// A case of an enum that is observed.
private struct StateCase {
    private let name: String
    private let number: Int
    private let labels: [String]

    init(element: EnumCaseElementSyntax, number: Int) {
        name = element.name.text
        self.number = number
        labels = (element.parameterClause?.parameters ?? []).map(\.label)
    }

    /// The code that returns the identity of the payload, if there is exactly one, tagged with the number of the case.
    var identity: [String] {
        let payload = labels.count == 1
        return [
            "case .\(name)\(payload ? "(let value)" : ""):",
            "    return \(payload ? "Lattice.ObservableStateID._$id(for: value)" : "Lattice.ObservableStateID._$plain")"
                + "._$tag(\(number))",
        ]
    }

    var renaming: [String] {
        guard labels.count == 1 else { return ["case .\(name):", "    break"] }
        return [
            "case .\(name)(var value):",
            "    Lattice._$willModify(&value)",
            "    self = .\(name)(\(labels[0])value)",
        ]
    }

    var settling: [String] {
        guard !labels.isEmpty else {
            return ["if case .\(name) = self, case .\(name) = shown {", "    return true", "}"]
        }
        let numbers = labels.indices
        func list(_ item: (Int) -> String) -> String { numbers.map(item).joined(separator: ", ") }
        return [
            "if case .\(name)(\(list { "var value\($0)" })) = self, case .\(name)(\(list { "let shown\($0)" })) = shown {"
        ]
            + numbers.map { "    let isSame\($0) = changes.settle(&value\($0), over: shown\($0))" }
            + [
                "    self = .\(name)(\(list { "\(labels[$0])value\($0)" }))",
                "    return \(numbers.map { "isSame\($0)" }.joined(separator: " && "))",
                "}",
            ]
    }
}
