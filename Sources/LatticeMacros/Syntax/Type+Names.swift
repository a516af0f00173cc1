import SwiftSyntax

extension TypeSyntax {
    /// The name of a type without its module or the types around it and without generic arguments; nil if it has none.
    var lastName: TokenSyntax? {
        self.as(IdentifierTypeSyntax.self)?.name ?? self.as(MemberTypeSyntax.self)?.name
    }

    /// The generic arguments of a named type with their brackets.
    var genericClause: GenericArgumentClauseSyntax? {
        self.as(IdentifierTypeSyntax.self)?.genericArgumentClause
            ?? self.as(MemberTypeSyntax.self)?.genericArgumentClause
    }

    /// The generic arguments of a named type, as they are written; none for other types.
    var genericArguments: [String] {
        genericClause?.arguments.map { Syntax($0.argument).trimmedDescription } ?? []
    }

    /// A named type without its generic arguments.
    var withoutGenericClause: TypeSyntax {
        if let type = self.as(IdentifierTypeSyntax.self) {
            return TypeSyntax(type.with(\.genericArgumentClause, nil))
        }
        if let type = self.as(MemberTypeSyntax.self) {
            return TypeSyntax(type.with(\.genericArgumentClause, nil))
        }
        return self
    }
}
