import SwiftSyntax

extension TypeSyntax {
    /// The name of a type without its module, enclosing types and generic arguments, or nil if it has no name.
    var lastName: TokenSyntax? {
        self.as(IdentifierTypeSyntax.self)?.name ?? self.as(MemberTypeSyntax.self)?.name
    }

    /// The generic arguments of a named type with their brackets.
    var genericClause: GenericArgumentClauseSyntax? {
        self.as(IdentifierTypeSyntax.self)?.genericArgumentClause
            ?? self.as(MemberTypeSyntax.self)?.genericArgumentClause
    }

    /// The generic arguments of a named type as text. The list is empty for other types.
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

extension DeclGroupSyntax {
    /// The kind and name of the declaration for messages, such as `struct 'Counter'`.
    var kindAndName: String {
        let kind = introducer.text
        if let named = asProtocol((any NamedDeclSyntax).self) { return "\(kind) '\(named.name.text)'" }
        if let extended = self.as(ExtensionDeclSyntax.self) {
            return "an \(kind) of '\(extended.extendedType.trimmed)'"
        }
        return kind
    }
}

extension DeclSyntaxProtocol {
    /// The name of the type or type alias that this declares.
    var declaredType: TokenSyntax? {
        guard isProtocol((any DeclGroupSyntax).self) || self.is(TypeAliasDeclSyntax.self) else { return nil }
        return asProtocol((any NamedDeclSyntax).self)?.name
    }
}

extension MemberBlockItemListSyntax {
    /// Returns the nested enums with a name. There can be several inside an `#if`.
    func enumerations(named name: String) -> [EnumDeclSyntax] {
        all.compactMap { $0.as(EnumDeclSyntax.self) }.filter { $0.name.text == name }
    }

    /// Returns the function, or the initializer for `init`, with these labels.
    func function(_ name: String, _ labels: [String]) -> DeclSyntax? {
        all.first { member in
            let function = member.as(FunctionDeclSyntax.self)
            let signature = function?.signature ?? member.as(InitializerDeclSyntax.self)?.signature
            return (function?.name.text ?? "init") == name
                && signature?.parameterClause.parameters.map(\.firstName.text) == labels
        }
    }
}

extension EnumDeclSyntax {
    var caseElements: [EnumCaseElementSyntax] {
        memberBlock.members.all.compactMap { $0.as(EnumCaseDeclSyntax.self) }.flatMap(\.elements)
    }
}

extension AttributeListSyntax {
    /// The attributes that are not inside an `#if`.
    var plain: [AttributeSyntax] { compactMap { $0.as(AttributeSyntax.self) } }

    func has(_ name: String) -> Bool { plain.contains { $0.hasName(name) } }
}

extension EnumCaseParameterSyntax {
    var argumentLabel: String? { firstName.flatMap { $0.tokenKind == .wildcard ? nil : $0.text } }

    /// The label with a colon and a space, or an empty string.
    var label: String { argumentLabel.map { "\($0): " } ?? "" }
}

extension DeclModifierListSyntax {
    /// A Boolean value that indicates whether the member belongs to the type and not to its instances.
    var areOfType: Bool { contains { [.keyword(.static), .keyword(.class)].contains($0.name.tokenKind) } }
}

extension String {
    var withoutBackticks: String { filter { $0 != "`" } }
}

extension AttributeSyntax {
    /// Returns whether this attribute is `@name` or `@Module.name`.
    func hasName(_ name: String) -> Bool {
        attributeName.lastName?.text == name
    }

    /// Returns this attribute in its declaration. Macros get attributes detached from their declarations.
    func written(in attributes: AttributeListSyntax) -> AttributeSyntax? {
        let text = trimmedDescription
        return attributes.plain.first { $0.trimmedDescription == text }
    }
}
