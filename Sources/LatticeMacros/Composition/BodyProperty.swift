import SwiftSyntax

/// The `body` property of a type that composes others.
struct BodyProperty {
    let variable: VariableDeclSyntax
    let name: TokenSyntax
    /// The type annotation, if there is one.
    let type: TypeSyntax?
    private let accessors: AccessorBlockSyntax?

    /// Returns nil if `member` is not an instance property with the name `body`.
    init?(_ member: some DeclSyntaxProtocol) {
        guard
            let variable = member.as(VariableDeclSyntax.self),
            !variable.modifiers.areOfType,
            let binding = variable.bindings.first(where: { $0.pattern.trimmedDescription == "body" }),
            let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier
        else { return nil }
        self.variable = variable
        self.name = name
        type = binding.typeAnnotation?.type
        accessors = binding.accessorBlock
    }

    /// The protocol after `some`, such as `InteractorOf<Self>`. If it is composed with other protocols, it is the first
    /// one.
    var opaqueConstraint: TypeSyntax? {
        guard let opaque = constrained(by: .some) else { return nil }
        return opaque.constraint.as(CompositionTypeSyntax.self)?.elements.first?.type ?? opaque.constraint
    }

    /// The keyword `any` of an existential type.
    var anySpecifier: TokenSyntax? { constrained(by: .any)?.someOrAnySpecifier }

    private func constrained(by keyword: Keyword) -> SomeOrAnyTypeSyntax? {
        type?.as(SomeOrAnyTypeSyntax.self).flatMap { $0.someOrAnySpecifier.tokenKind == .keyword(keyword) ? $0 : nil }
    }

    /// A Boolean value that indicates whether a result builder can be applied. There has to be a getter without
    /// `return`.
    ///
    /// A `return` would disable the builder, and the compiler would warn about an attribute that is not in the source.
    var canBeBuilt: Bool {
        code.map { !$0.hasReturn } ?? false
    }

    /// The statements of the getter, if there is one.
    private var code: CodeBlockItemListSyntax? {
        switch accessors?.accessors {
        case .getter(let items): items
        case .accessors(let accessors):
            accessors.first { $0.accessorSpecifier.tokenKind == .keyword(.get) }?.body?.statements
        case nil: nil
        }
    }

    /// Returns whether the getter is a call of one of these functions or types without an argument with the label
    /// `label`.
    func isCall(ofOneOf names: Set<String>, without label: String) -> Bool {
        guard case .expr(let expression)? = code?.last?.item,
            let call = expression.as(FunctionCallExprSyntax.self),
            let name = call.calledExpression.calledName
        else { return false }
        return names.contains(name) && !call.arguments.contains { $0.label?.text == label }
    }
}

extension SyntaxProtocol {
    /// A Boolean value that indicates whether the code contains a `return` outside of nested functions and closures.
    fileprivate var hasReturn: Bool {
        if self.is(ReturnStmtSyntax.self) { return true }
        let isOther =
            isProtocol((any DeclGroupSyntax).self) || self.is(ClosureExprSyntax.self)
            || self.is(FunctionDeclSyntax.self) || self.is(AccessorBlockSyntax.self)
        return !isOther && children(viewMode: .sourceAccurate).contains(where: \.hasReturn)
    }
}

extension ExprSyntax {
    /// The last name of the called function or type, without generic arguments.
    fileprivate var calledName: String? {
        if let generic = self.as(GenericSpecializationExprSyntax.self) { return generic.expression.calledName }
        if let member = self.as(MemberAccessExprSyntax.self) { return member.declName.baseName.text }
        return self.as(DeclReferenceExprSyntax.self)?.baseName.text
    }
}
