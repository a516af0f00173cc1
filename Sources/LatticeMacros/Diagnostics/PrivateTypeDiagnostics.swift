import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// A macro that adds a conformance extends the type at the top of the file, where a private nested type is not seen.
enum PrivateTypeDiagnostics {
    /// - Parameters:
    ///   - macro: the name of the macro.
    ///   - protocols: the conformances to add: without any there is no extension.
    static func problems(
        of declaration: some DeclGroupSyntax,
        macro: String,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) -> [Diagnostic] {
        guard
            !protocols.isEmpty,
            context.lexicalContext.contains(where: { $0.isProtocol((any DeclGroupSyntax).self) }),
            let modifier = declaration.modifiers.first(where: { $0.name.tokenKind == .keyword(.private) }),
            let name = declaration.asProtocol((any NamedDeclSyntax).self)?.name.text
        else { return [] }
        let wider = modifier.with(\.name, modifier.name.with(\.tokenKind, .keyword(.fileprivate)))
        let diagnostic = Diagnostic(
            modifier,
            "privateType",
            """
            '@\(macro)' extends '\(name)' at the top of the file, where this private type cannot be seen: make it \
            'fileprivate'
            """,
            fixIts: [
                FixIt("makeFileprivate", "Replace 'private' with 'fileprivate'", [.replacing(modifier, with: wider)])
            ]
        )
        return [diagnostic]
    }
}
