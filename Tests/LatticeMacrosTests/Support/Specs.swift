import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros

@testable import LatticeMacros

extension [String: MacroSpec] {
    /// The macros of Lattice by the names under which clients use them, also with the module's name.
    static let lattice: [String: MacroSpec] = specs(addingConformances: true)

    /// The same for types that declare their conformances themselves, so that none is to be added.
    static let latticeWithoutConformances: [String: MacroSpec] = specs(addingConformances: false)

    static let patchable: [String: MacroSpec] = lattice.filter { $0.key == "Patchable" }

    /// For a type that declares its conformance itself.
    static let conformingPatchable = latticeWithoutConformances.filter { $0.key == "Patchable" }

    static let stableNames = latticeWithoutConformances.filter { $0.key == "StableNames" }

    private static func specs(addingConformances: Bool) -> [String: MacroSpec] {
        let macros: [(String, any Macro.Type)] = [
            ("CasePathable", CasePathableMacro.self),
            ("Interactor", InteractorMacro.self),
            ("Patchable", PatchableMacro.self),
            ("StableNames", StableNamesMacro.self),
            ("ViewStateReducer", ViewStateReducerMacro.self),
        ]
        let specs = macros.map { name, type in
            (
                name,
                MacroSpec(
                    type: type,
                    conformances: addingConformances ? [TypeSyntax(IdentifierTypeSyntax(name: .identifier(name)))] : []
                )
            )
        }
        return Dictionary(uniqueKeysWithValues: specs)
    }
}
