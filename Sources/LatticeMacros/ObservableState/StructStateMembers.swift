import SwiftSyntax
import SwiftSyntaxBuilder

/// Writes the members that make a struct an observable state.
struct StructStateMembers {
    let declaration: StructDeclSyntax
    /// The access level of the members with a space after it, or an empty string.
    let access: String

    var source: [DeclSyntax] {
        [
            // This is not private, because the memberwise initializer would then be private too.
            """
            @Lattice.ObservationStateIgnored var _$observationRegistrar = Lattice.ObservationStateRegistrar()
            """,
            """
            \(raw: access)var _$id: Lattice.ObservableStateID {
                _$observationRegistrar.id
            }
            """,
            """
            \(raw: access)mutating func _$willModify() {
                _$observationRegistrar._$willModify()
            }
            """,
            takePlace,
        ]
    }

    private var takePlace: DeclSyntax {
        let compared = lines { $0.observation == .compared ? [Self.comparison(of: $0)] : [] }
        let tracked = lines { $0.observation == .tracked ? Self.settling(of: $0) : [] }
        let isSame = compared.isEmpty ? "true" : "isSame"
        let body =
            (compared.isEmpty ? [] : ["var isSame = true"])
            + compared
            + ["_$observationRegistrar.takePlace(of: shown._$observationRegistrar, isSame: \(isSame), changes)"]
            + tracked
            + ["return \(isSame)"]
        return """
            \(raw: access)mutating func _$takePlace(
                of shown: Self,
                _ changes: inout Lattice._ObservationChanges
            ) -> Bool {
            \(raw: body.indented)
            }
            """
    }

    private func lines(for write: (StoredProperty) -> [String]) -> [String] {
        declaration.memberBlock.members.source { member in
            member.as(VariableDeclSyntax.self)?.storedProperties.flatMap(write) ?? []
        }
    }

    private static func comparison(of property: StoredProperty) -> String {
        "isSame = Lattice._$isSameValue(self.\(property.name), shown.\(property.name)) && isSame"
    }

    private static func settling(of property: StoredProperty) -> [String] {
        let storage = property.storageName
        return [
            "if !changes.settle(&self.\(storage), over: shown.\(storage)) {",
            "    changes.note(\\.\(property.name), of: shown, _$observationRegistrar)",
            "}",
        ]
    }
}
