import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Patchable`: makes a struct or an enum a value that says what has changed in it, and takes changes in.
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
        // Reported in this role: the compiler may never ask for the members of a type that conforms to nothing.
        for problem in problems { context.diagnose(problem) }
        guard !protocols.isEmpty, problems.isEmpty else { return [] }
        let availability = declaration.availability(in: context).lines
        // The extension and not the conformance alone: it brings `Codable` and `Equatable` along, which are to be
        // nonisolated as well in a module whose default is the main actor.
        return [
            try ExtensionDeclSyntax(
                "\(raw: availability)nonisolated extension \(type.trimmed): Lattice.Patchable {}"
            )
        ]
    }
}
