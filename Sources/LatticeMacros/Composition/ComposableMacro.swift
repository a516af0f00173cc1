import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// The roles of a macro for a composable protocol. It adds members, the result builder of `body`, the conformance, and
/// declarations next to the type.
protocol ComposableMacro: MemberMacro, MemberAttributeMacro, ExtensionMacro, PeerMacro {
    static var conformance: ComposableProtocol { get }

    /// Returns members that only this macro adds.
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
        let diagnostics = ComposableDiagnostics(expansion)
        let obstacles = diagnostics.obstacles(conformingTo: protocols, in: context)
        for problem in obstacles + diagnostics.remarks { context.diagnose(problem) }
        guard !protocols.isEmpty, obstacles.isEmpty else { return [] }
        return [try declaration.conformance(of: type, to: conformance.name, in: context)]
    }
}

/// `@Interactor` makes a type an interactor.
enum InteractorMacro: ComposableMacro {
    static let conformance = ComposableProtocol.interactor
}

/// `@ViewStateReducer` makes a type a view state reducer.
///
/// The macro adds no code for the initial view state. The protocol forwards to `body`, which has an initial view state
/// or uses the default value. If neither the type nor its body has one, a member is added that only compiles if there
/// is a default value.
enum ViewStateReducerMacro: ComposableMacro {
    static let conformance = ComposableProtocol.viewStateReducer

    static func additionalMembers(for source: ComposableDeclaration) -> [DeclSyntax] {
        let declaresOwn = conformance.others.contains(where: source.declares)
        let names: Set = ["BuildViewState", "buildViewState"]
        guard !declaresOwn, source.body?.isCall(ofOneOf: names, without: "initial") == true else { return [] }
        return [
            """
            private nonisolated static func _defaultViewStateIsThere() -> ViewState {
                Self._defaultViewState()
            }
            """
        ]
    }
}
