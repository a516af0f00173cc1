import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Patchable` makes a struct or an enum a value that encodes its changes and applies encoded changes.
enum PatchableMacro {}

extension PatchableMacro: MemberMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let problems = PatchableDiagnostics.problems(
            of: declaration,
            attribute: node,
            conformingTo: protocols,
            in: context
        )
        return problems.isEmpty ? declaration.patchMembers(isObserved: false, in: context) : []
    }
}

extension PatchableMacro: ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        let problems = PatchableDiagnostics.problems(
            of: declaration,
            attribute: node,
            conformingTo: protocols,
            in: context
        )
        // Diagnostics are reported in this role, because the compiler may not request the members of a type without
        // conformances.
        for problem in problems { context.diagnose(problem) }
        guard !protocols.isEmpty, problems.isEmpty else { return [] }
        let availability = declaration.availability(in: context).lines
        // The whole extension is nonisolated and not only the conformance. It also adds `Codable` and `Equatable`,
        // which
        // have to be nonisolated in a module whose default isolation is the main actor.
        return [
            try ExtensionDeclSyntax(
                "\(raw: availability)nonisolated extension \(type.trimmed): Lattice.Patchable {}"
            )
        ]
    }
}
