import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// The diagnostics of a type that should conform to a composable protocol.
struct ComposableDiagnostics {
    let conformance: ComposableProtocol
    let expansion: ComposableExpansion

    var source: ComposableDeclaration { expansion.source }
    /// The macro as it is written in messages.
    var macro: String { "@\(conformance.name)" }

    init(_ expansion: ComposableExpansion) {
        self.expansion = expansion
        conformance = expansion.conformance
    }

    /// Returns whether a declaration of this kind can conform.
    static func isSupported(_ declaration: some DeclGroupSyntax) -> Bool {
        !declaration.is(ProtocolDeclSyntax.self) && !declaration.is(ExtensionDeclSyntax.self)
    }

    /// Returns the mistakes that prevent a conformance. With them, a conformance would only cause further compiler
    /// errors.
    ///
    /// - Parameters:
    ///   - protocols: The conformances that the macro has to add. The list is empty if the type declares its own.
    ///   - context: The context of the expansion.
    func obstacles(conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext) -> [Diagnostic] {
        guard Self.isSupported(source.declaration) else { return [wrongKind] }
        if let wrongCount { return [wrongCount] }
        let hidden = source.declaration.problemsOfPrivateType(
            macro: conformance.name,
            conformingTo: protocols,
            in: context
        )
        // A type that declares its conformance may implement the requirements in an extension.
        let missing = protocols.isEmpty ? nil : missingWork(in: context)
        return hidden + [missing, existentialBody, otherGenericsOfBody].compactMap(\.self) + isolatedMembers
    }

    /// The diagnostics of a type that can conform.
    var remarks: [Diagnostic] {
        guard Self.isSupported(source.declaration), wrongCount == nil else { return [] }
        return [swappedTypes].compactMap(\.self)
            + conformance.types.enumerated().compactMap { contradictingType($1, argument: $0) }
            + conformance.types.compactMap(redundantTypeAlias)
    }

    private var wrongKind: Diagnostic {
        return Diagnostic(
            expansion.attribute,
            "composableKind",
            """
            '\(macro)' cannot be applied to \(source.declaration.kindAndName): only a struct, an enum, a class or \
            an actor can be \(conformance.noun)
            """,
            fixIts: FixIt.removing(expansion.attribute, from: source.declaration.attributes)
        )
    }

    private var wrongCount: Diagnostic? {
        let count = expansion.arguments.count
        guard count != 0, count != conformance.types.count, let clause = expansion.attribute.attributeName.genericClause
        else { return nil }
        let types = conformance.types.map { "'\($0)'" }.joined(separator: " and ")
        return Diagnostic(
            clause,
            "composableArgumentCount",
            "'\(macro)' takes two generic arguments, \(types), or none, but not \(count)"
        )
    }
}
