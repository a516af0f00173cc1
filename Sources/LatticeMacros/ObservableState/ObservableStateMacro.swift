import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@ObservableState` makes a struct or an enum a view state whose properties are observed individually.
enum ObservableStateMacro {}

extension ObservableStateMacro: MemberMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let access = declaration.memberAccess(in: context)
        let patch = isPatchable(declaration) ? declaration.patchMembers(isObserved: true, in: context) : []
        if let structure = declaration.as(StructDeclSyntax.self) {
            let keys = StateCodingKeys(declaration: structure)
            // Only this role knows the coding conformances, so the diagnostics are reported here.
            for problem in keys.problems(missing: protocols) { context.diagnose(problem) }
            return StructStateMembers(declaration: structure, access: access).source
                + (keys.isNeeded(missing: protocols) ? [keys.source] : [])
                + patch
        }
        if let enumeration = declaration.as(EnumDeclSyntax.self) {
            return EnumStateMembers(declaration: enumeration, access: access).source + patch
        }
        return []
    }

    /// Returns whether the functions of `Patchable` have to be written.
    private static func isPatchable(_ declaration: some DeclGroupSyntax) -> Bool {
        declaration.declaresConformance(to: "Patchable") && declaration.patchFunction == nil
            && PatchableDiagnostics.ownEncoding(of: declaration, macro: "ObservableState").isEmpty
    }
}

extension ObservableStateMacro: MemberAttributeMacro {
    static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingAttributesFor member: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AttributeSyntax] {
        guard
            declaration.is(StructDeclSyntax.self),
            let variable = member.as(VariableDeclSyntax.self),
            variable.isTrackable, !variable.attributes.has("ObservationStateTracked")
        else { return [] }
        return ["@Lattice.ObservationStateTracked"]
    }
}

extension ObservableStateMacro: ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        let problems = ObservableStateDiagnostics.problems(
            of: declaration,
            attribute: node,
            conformingTo: protocols,
            in: context
        )
        // Diagnostics are reported in this role, because the compiler may not request the members of a type without
        // conformances.
        for problem in problems { context.diagnose(problem) }
        let isMissing = protocols.contains { $0.lastName?.text == "ObservableState" }
        guard isMissing, ObservableStateDiagnostics.isSupported(declaration) else { return [] }
        return [try declaration.conformance(of: type, to: "ObservableState", in: context)]
    }
}
