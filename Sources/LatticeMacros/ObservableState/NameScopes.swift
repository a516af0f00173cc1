import SwiftSyntax

/// Finds the places in a piece of code at which a name has another meaning than outside, such as a local variable.
struct NameScopes {
    /// The name without backticks.
    let name: String

    /// Returns whether the name has another meaning at a node.
    func hide(_ node: Syntax) -> Bool {
        var child = node
        while let parent = child.parent {
            if hides(parent, in: child) { return true }
            child = parent
        }
        return false
    }

    /// Returns whether a node is inside a type that the piece of code declares, so that `self` is another value.
    func isInsideType(_ node: Syntax) -> Bool {
        sequence(first: node) { $0.parent }.contains(where: isType)
    }

    private func isType(_ node: Syntax) -> Bool {
        node.is(StructDeclSyntax.self) || node.is(EnumDeclSyntax.self) || node.is(ClassDeclSyntax.self)
            || node.is(ActorDeclSyntax.self) || node.is(ProtocolDeclSyntax.self)
    }

    /// Returns whether `parent` gives the name another meaning inside `child`.
    private func hides(_ parent: Syntax, in child: Syntax) -> Bool {
        if isType(parent) { return true }
        switch parent.as(SyntaxEnum.self) {
        case .codeBlockItemList(let items): return isDeclared(in: items, before: child)
        case .patternBindingList(let bindings):
            return bindings.prefix { $0.id != child.id }.contains { binds($0.pattern) }
        case .conditionElementList(let conditions):
            return conditions.prefix { $0.id != child.id }.contains(where: binds)
        case .ifExpr(let node): return child.id == node.body.id && node.conditions.contains(where: binds)
        case .whileStmt(let node): return child.id == node.body.id && node.conditions.contains(where: binds)
        case .forStmt(let node):
            return (child.id == node.body.id || child.id == node.whereClause?.id) && binds(node.pattern)
        case .switchCase(let node): return child.id == node.statements.id && binds(node.label)
        case .switchCaseItem(let node): return child.id == node.whereClause?.id && binds(node.pattern)
        case .catchClause(let node): return child.id == node.body.id && binds(node)
        case .catchItem(let node): return child.id == node.whereClause?.id && node.pattern.map(binds) == true
        case .closureExpr(let node): return child.id == node.statements.id && node.signature.map(binds) == true
        case .functionDecl(let node):
            return child.id == node.body?.id && (isName(node.name) || binds(node.signature.parameterClause))
        case .patternBinding(let node): return child.id == node.accessorBlock?.id && binds(node.pattern)
        case .accessorDecl(let node): return child.id == node.body?.id && binds(node)
        default: return false
        }
    }

    /// Returns whether a declaration or a `guard` before `child` in the same block declares the name.
    private func isDeclared(in items: CodeBlockItemListSyntax, before child: Syntax) -> Bool {
        items.prefix { $0.id != child.id }.contains { item in
            if let variable = item.item.as(VariableDeclSyntax.self) {
                return variable.bindings.contains { binds($0.pattern) }
            }
            if let function = item.item.as(FunctionDeclSyntax.self) { return isName(function.name) }
            if let statement = item.item.as(GuardStmtSyntax.self) { return statement.conditions.contains(where: binds) }
            return false
        }
    }

    // MARK: Declarations of the name

    private func isName(_ token: TokenSyntax) -> Bool { token.text.withoutBackticks == name }

    private func binds(_ pattern: PatternSyntax) -> Bool { hasPattern(Syntax(pattern)) }

    /// Returns whether a node contains a pattern with the name. Patterns also occur in arguments: `case .loaded(let
    /// level)`.
    private func hasPattern(_ node: Syntax) -> Bool {
        if let pattern = node.as(IdentifierPatternSyntax.self) { return isName(pattern.identifier) }
        if node.is(ClosureExprSyntax.self) { return false }
        return node.children(viewMode: .sourceAccurate).contains(where: hasPattern)
    }

    private func binds(_ element: ConditionElementSyntax) -> Bool {
        switch element.condition {
        case .optionalBinding(let binding): binds(binding.pattern)
        case .matchingPattern(let matching): binds(matching.pattern)
        default: false
        }
    }

    private func binds(_ label: SwitchCaseSyntax.Label) -> Bool {
        if case .case(let label) = label { label.caseItems.contains { binds($0.pattern) } } else { false }
    }

    private func binds(_ clause: CatchClauseSyntax) -> Bool {
        // Without a pattern, the error is called `error`.
        if clause.catchItems.isEmpty { return name == "error" }
        return clause.catchItems.contains { $0.pattern.map(binds) == true }
    }

    private func binds(_ signature: ClosureSignatureSyntax) -> Bool {
        if signature.capture?.items.contains(where: { isName($0.name) }) == true { return true }
        switch signature.parameterClause {
        case .simpleInput(let parameters): return parameters.contains { isName($0.name) }
        case .parameterClause(let clause):
            return clause.parameters.contains { isName($0.secondName ?? $0.firstName) }
        case nil: return false
        }
    }

    private func binds(_ clause: FunctionParameterClauseSyntax) -> Bool {
        clause.parameters.contains { isName($0.secondName ?? $0.firstName) }
    }

    private func binds(_ accessor: AccessorDeclSyntax) -> Bool {
        if let parameters = accessor.parameters { return isName(parameters.name) }
        switch accessor.accessorSpecifier.tokenKind {
        case .keyword(.didSet): return name == "oldValue"
        case .keyword(.set), .keyword(.willSet): return name == "newValue"
        default: return false
        }
    }
}
