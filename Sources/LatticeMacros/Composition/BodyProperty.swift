import SwiftSyntax

/// The `body` of a type that composes others.
struct BodyProperty {
    let variable: VariableDeclSyntax
    let name: TokenSyntax
    /// The type as it is written, if it is.
    let type: TypeSyntax?
    private let accessors: AccessorBlockSyntax?

    /// Nil if `member` is not an instance property called `body`.
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

    /// The protocol behind `some`, also where it is composed with others: `InteractorOf<Self>`.
    var opaqueConstraint: TypeSyntax? {
        guard let opaque = constrained(by: .some) else { return nil }
        return opaque.constraint.as(CompositionTypeSyntax.self)?.elements.first?.type ?? opaque.constraint
    }

    /// The `any` of an existential type.
    var anySpecifier: TokenSyntax? { constrained(by: .any)?.someOrAnySpecifier }

    private func constrained(by keyword: Keyword) -> SomeOrAnyTypeSyntax? {
        type?.as(SomeOrAnyTypeSyntax.self).flatMap { $0.someOrAnySpecifier.tokenKind == .keyword(keyword) ? $0 : nil }
    }

    /// Whether a result builder can be applied: there is a getter, and it does not return by hand.
    ///
    /// A `return` would switch the builder off, with a warning at an attribute that nobody wrote.
    var canBeBuilt: Bool {
        code.map { !$0.hasReturn } ?? false
    }

    /// What the getter consists of, if there is one.
    private var code: CodeBlockItemListSyntax? {
        switch accessors?.accessors {
        case .getter(let items): items
        case .accessors(let accessors):
            accessors.first { $0.accessorSpecifier.tokenKind == .keyword(.get) }?.body?.statements
        case nil: nil
        }
    }

    /// Whether it is a call of one of these functions or types, without an argument called `label`.
    func isCall(ofOneOf names: Set<String>, without label: String) -> Bool {
        guard case .expr(let expression)? = code?.last?.item,
            let call = expression.as(FunctionCallExprSyntax.self),
            let name = call.calledExpression.calledName
        else { return false }
        return names.contains(name) && !call.arguments.contains { $0.label?.text == label }
    }
}

extension SyntaxProtocol {
    /// Whether a `return` is here that belongs to the code itself, and not to a function or a closure in it.
    fileprivate var hasReturn: Bool {
        if self.is(ReturnStmtSyntax.self) { return true }
        let isOther =
            isProtocol((any DeclGroupSyntax).self) || self.is(ClosureExprSyntax.self)
            || self.is(FunctionDeclSyntax.self) || self.is(AccessorBlockSyntax.self)
        return !isOther && children(viewMode: .sourceAccurate).contains(where: \.hasReturn)
    }
}

extension ExprSyntax {
    /// What is called: the last name of it, without its generic arguments.
    fileprivate var calledName: String? {
        if let generic = self.as(GenericSpecializationExprSyntax.self) { return generic.expression.calledName }
        if let member = self.as(MemberAccessExprSyntax.self) { return member.declName.baseName.text }
        return self.as(DeclReferenceExprSyntax.self)?.baseName.text
    }
}
