import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

extension DeclGroupSyntax {
    /// The access level that a generated member needs to be as visible as this type: `public`, `package` or nothing,
    /// with a space after it.
    ///
    /// Members of types below `internal` need none: without a modifier they are as visible as their type, whereas a
    /// copied `private` would hide them from the rest of the file.
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
    /// The access level that is written down, `private(set)` and the like left out.
    var accessLevel: Keyword? { lazy.filter { $0.detail == nil }.compactMap(\.accessLevel).first }
}

extension DeclModifierSyntax {
    private static let accessLevels: [Keyword] = [.private, .fileprivate, .internal, .package, .public, .open]

    /// `public` and the like, also in `private(set)`.
    var accessLevel: Keyword? {
        guard case .keyword(let keyword) = name.tokenKind, Self.accessLevels.contains(keyword) else { return nil }
        return keyword
    }
}

extension AttributeListSyntax {
    /// The `@available` attributes, which generated code has to repeat to be allowed to name what it was made for.
    var availability: [AttributeSyntax] { plain.filter { $0.hasName("available") }.map(\.trimmed) }
}

extension DeclGroupSyntax {
    /// The availability of this type and of the types around it: an extension of it stands outside all of them.
    func availability(in context: some MacroExpansionContext) -> [AttributeSyntax] {
        attributes.availability
            + context.lexicalContext.flatMap {
                $0.asProtocol((any DeclGroupSyntax).self)?.attributes.availability ?? []
            }
    }

    /// A macro that adds a conformance extends the type at the top of the file, where a private nested type is not
    /// seen.
    ///
    /// - Parameters:
    ///   - macro: the name of the macro.
    ///   - protocols: the conformances to add: without any there is no extension.
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

    /// An extension by which this type conforms to a protocol of Lattice: nonisolated also in a module whose default is
    /// the main actor.
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
    /// The attributes as text, one a line, to stand before a declaration.
    var lines: String {
        map { "\($0)\n" }.joined()
    }
}
