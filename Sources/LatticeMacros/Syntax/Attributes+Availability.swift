import SwiftSyntax
import SwiftSyntaxMacros

extension AttributeListSyntax {
    /// The `@available` attributes, which generated code has to repeat to be allowed to name what it was made for.
    var availability: [AttributeSyntax] {
        compactMap { element in
            guard case .attribute(let attribute) = element, attribute.hasName("available") else { return nil }
            return attribute.trimmed
        }
    }
}

extension DeclGroupSyntax {
    /// The availability of this type and of the types around it: an extension of it stands outside all of them.
    func availability(in context: some MacroExpansionContext) -> [AttributeSyntax] {
        attributes.availability
            + context.lexicalContext.flatMap {
                $0.asProtocol((any DeclGroupSyntax).self)?.attributes.availability ?? []
            }
    }
}

extension [AttributeSyntax] {
    /// The attributes as text, one a line, to stand before a declaration.
    var lines: String {
        map { "\($0)\n" }.joined()
    }
}
