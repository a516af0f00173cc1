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

extension DeclGroupSyntax {
    /// What this declares, for messages: `struct 'Counter'`.
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
    /// The nested enums of this name; several where `#if` decides.
    func enumerations(named name: String) -> [EnumDeclSyntax] {
        all.compactMap { $0.as(EnumDeclSyntax.self) }.filter { $0.name.text == name }
    }

    /// The function, or for `init` the initializer, with these labels.
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
    /// The attributes without those that an `#if` decides on.
    var plain: [AttributeSyntax] { compactMap { $0.as(AttributeSyntax.self) } }

    func has(_ name: String) -> Bool { plain.contains { $0.hasName(name) } }
}

extension EnumCaseParameterSyntax {
    var argumentLabel: String? { firstName.flatMap { $0.tokenKind == .wildcard ? nil : $0.text } }

    /// The label with its colon and a space, or nothing.
    var label: String { argumentLabel.map { "\($0): " } ?? "" }
}

extension DeclModifierListSyntax {
    /// Whether they make a member one of the type itself.
    var areOfType: Bool { contains { [.keyword(.static), .keyword(.class)].contains($0.name.tokenKind) } }
}

extension String {
    var withoutBackticks: String { filter { $0 != "`" } }
}

extension AttributeSyntax {
    /// Whether this attribute is `@name`, or `@Module.name`.
    func hasName(_ name: String) -> Bool {
        attributeName.lastName?.text == name
    }

    /// This attribute in the declaration that has it; macros get theirs apart from the declaration.
    func written(in attributes: AttributeListSyntax) -> AttributeSyntax? {
        let text = trimmedDescription
        return attributes.plain.first { $0.trimmedDescription == text }
    }
}
