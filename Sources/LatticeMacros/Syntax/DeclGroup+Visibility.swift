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
        switch modifiers.accessLevel ?? context.lexicalContext.first?.extensionAccessLevel {
        case .public, .open: "public "
        case .package: "package "
        default: ""
        }
    }
}

extension DeclModifierListSyntax {
    /// The access level that is written down, `private(set)` and the like left out.
    var accessLevel: Keyword? {
        for modifier in self where modifier.detail == nil {
            switch modifier.name.tokenKind {
            case .keyword(let keyword) where Self.accessLevels.contains(keyword): return keyword
            default: continue
            }
        }
        return nil
    }

    private static let accessLevels: [Keyword] = [.private, .fileprivate, .internal, .package, .public, .open]
}

extension Syntax {
    /// The access level that an extension gives to members without one of their own.
    fileprivate var extensionAccessLevel: Keyword? {
        self.as(ExtensionDeclSyntax.self)?.modifiers.accessLevel
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
