import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@CasePathable` writes `AllCasePaths` with a property for each case, and adds the conformance.
enum CasePathableMacro {}

extension CasePathableMacro: MemberMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let problems = CasePathableDiagnostics.problems(
            of: declaration,
            attribute: node,
            conformingTo: protocols,
            in: context
        )
        guard let enumeration = declaration.as(EnumDeclSyntax.self), problems.isEmpty else { return [] }

        let access = enumeration.memberAccess(in: context)
        let properties = CasePathProperties(enumeration: enumeration.name.trimmed, access: access)
            .source(for: enumeration.memberBlock.members)
        // The members are nonisolated even in an isolated enum or module, because case paths are used in any isolation.
        return [
            """
            \(raw: access)nonisolated struct AllCasePaths: Sendable {
            \(raw: properties.joined(separator: "\n"))
            }
            """,
            "\(raw: access)nonisolated static var allCasePaths: AllCasePaths { AllCasePaths() }",
        ]
    }
}

extension CasePathableMacro: ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        let problems = CasePathableDiagnostics.problems(
            of: declaration,
            attribute: node,
            conformingTo: protocols,
            in: context
        )
        // Diagnostics are reported in this role, because the compiler may not request the members of an enum without
        // conformances.
        for problem in problems { context.diagnose(problem) }
        guard !protocols.isEmpty, problems.isEmpty else { return [] }
        return [try declaration.conformance(of: type, to: "CasePathable", in: context)]
    }
}
