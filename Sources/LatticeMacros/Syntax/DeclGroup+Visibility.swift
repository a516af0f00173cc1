import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

extension DeclGroupSyntax {
    /// Returns the access level that makes a generated member as visible as this type: `public` or `package` with a
    /// space after it, or an empty string.
    ///
    /// Types below `internal` need no modifier, because their members are as visible as the type itself. A copied
    /// `private` would hide the members from the rest of the file.
    func memberAccess(in context: some MacroExpansionContext) -> String {
        let around = context.lexicalContext.first?.as(ExtensionDeclSyntax.self)
        switch modifiers.accessLevel ?? around?.modifiers.accessLevel {
        case .public, .open: return "public "
        case .package: return "package "
        default: return ""
        }
    }
}

extension DeclModifierListSyntax {
    /// The written access level, ignoring modifiers such as `private(set)`.
    var accessLevel: Keyword? { lazy.filter { $0.detail == nil }.compactMap(\.accessLevel).first }
}

extension DeclModifierSyntax {
    private static let accessLevels: [Keyword] = [.private, .fileprivate, .internal, .package, .public, .open]

    /// The access level of the modifier, also of one such as `private(set)`.
    var accessLevel: Keyword? {
        guard case .keyword(let keyword) = name.tokenKind, Self.accessLevels.contains(keyword) else { return nil }
        return keyword
    }
}

extension AttributeListSyntax {
    /// The `@available` attributes. Generated code has to repeat them to be allowed to use the declaration.
    var availability: [AttributeSyntax] { plain.filter { $0.hasName("available") }.map(\.trimmed) }
}

extension DeclGroupSyntax {
    /// Returns the availability of this type and its enclosing types. An extension of the type is outside of all of
    /// them.
    func availability(in context: some MacroExpansionContext) -> [AttributeSyntax] {
        attributes.availability
            + context.lexicalContext.flatMap {
                $0.asProtocol((any DeclGroupSyntax).self)?.attributes.availability ?? []
            }
    }

    /// Returns a diagnostic for a private nested type. A macro that adds a conformance extends the type at the top
    /// level of the file, where a private nested type is not visible.
    ///
    /// - Parameters:
    ///   - macro: The name of the macro.
    ///   - protocols: The conformances to add. Without any, there is no extension.
    ///   - context: The context of the expansion.
    func problemsOfPrivateType(
        macro: String,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) -> [Diagnostic] {
        guard
            !protocols.isEmpty,
            context.lexicalContext.contains(where: { $0.isProtocol((any DeclGroupSyntax).self) }),
            let modifier = modifiers.first(where: { $0.name.tokenKind == .keyword(.private) }),
            let name = asProtocol((any NamedDeclSyntax).self)?.name.text
        else { return [] }
        let wider = modifier.with(\.name, modifier.name.with(\.tokenKind, .keyword(.fileprivate)))
        let fixIt = FixIt(
            "makeFileprivate",
            "Replace 'private' with 'fileprivate'",
            [.replacing(modifier, with: wider)]
        )
        return [
            Diagnostic(
                modifier,
                "privateType",
                """
                '@\(macro)' extends '\(name)' at the top of the file, where this private type cannot be seen: make it \
                'fileprivate'
                """,
                fixIts: [fixIt]
            )
        ]
    }

    /// Returns an extension with the conformance to a protocol of Lattice. It is also nonisolated in a module whose
    /// default isolation is the main actor.
    func conformance(
        of type: some TypeSyntaxProtocol,
        to name: String,
        in context: some MacroExpansionContext
    ) throws -> ExtensionDeclSyntax {
        let availability = availability(in: context).lines
        return try ExtensionDeclSyntax(
            "\(raw: availability)extension \(type.trimmed): nonisolated Lattice.\(raw: name) {}"
        )
    }
}

extension [AttributeSyntax] {
    /// The attributes as text before a declaration, each on its own line.
    var lines: String {
        map { "\($0)\n" }.joined()
    }
}
