import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@CasePathable`: writes `AllCasePaths` with a property for each case, and the conformance.
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
        // Of no isolation, also in an enum or a module that has one: case paths are used from anywhere.
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
        // Reported in this role: the compiler may never ask for the members of an enum that conforms to nothing.
        for problem in problems { context.diagnose(problem) }
        guard !protocols.isEmpty, problems.isEmpty else { return [] }
        return [try declaration.conformance(of: type, to: "CasePathable", in: context)]
    }
}
