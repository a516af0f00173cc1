import SwiftSyntax
import SwiftSyntaxMacros

/// The roles of a macro for a composable protocol: members, the result builder of `body`, the conformance, and what of the
/// members has to stand beside the type.
protocol ComposableMacro: MemberMacro, MemberAttributeMacro, ExtensionMacro, PeerMacro {
    static var conformance: ComposableProtocol { get }

    /// What only this macro adds.
    static func additionalMembers(for source: ComposableDeclaration) -> [DeclSyntax]
}

extension ComposableMacro {
    static func additionalMembers(for source: ComposableDeclaration) -> [DeclSyntax] { [] }

    static func expansion(
        of node: AttributeSyntax,
        providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard ComposableDiagnostics.isSupported(declaration) else { return [] }
        let expansion = ComposableExpansion(conformance, attribute: node, declaration: declaration)
        return expansion.members(in: context) + additionalMembers(for: expansion.source)
    }

    static func expansion(
        of node: AttributeSyntax,
        providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard
            let declaration = declaration.asProtocol((any DeclGroupSyntax).self),
            ComposableDiagnostics.isSupported(declaration)
        else { return [] }
        return ComposableExpansion(conformance, attribute: node, declaration: declaration).peers()
    }

    static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingAttributesFor member: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AttributeSyntax] {
        guard ComposableDiagnostics.isSupported(declaration) else { return [] }
        return ComposableExpansion(conformance, attribute: node, declaration: declaration).attributes(for: member)
    }

    static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        let expansion = ComposableExpansion(conformance, attribute: node, declaration: declaration)
        let problems = ComposableDiagnostics(expansion).problems(conformingTo: protocols, in: context)
        for problem in problems { context.diagnose(problem.diagnostic) }
        guard !protocols.isEmpty, !problems.contains(where: \.preventsConformance) else { return [] }
        return [try expansion.conformanceExtension(of: type, in: context)]
    }
}
