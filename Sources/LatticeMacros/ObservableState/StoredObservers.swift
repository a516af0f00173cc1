import SwiftSyntax

/// Makes `willSet` and `didSet` name what the variable is stored in, where they name the variable itself.
///
/// Swift does the same for a plain variable: its own observers read and write it without calling them again. Otherwise
/// `didSet { level = min(level, 9) }` would set the variable through its accessors, and never end.
final class StoredObservers: SyntaxRewriter {
    private let name: String
    private let storage: TokenSyntax
    /// Whether the name means something else here, such as a local variable.
    private var isHidden = false

    private init(name: String, storage: String) {
        self.name = name
        self.storage = .identifier(storage)
        super.init(viewMode: .sourceAccurate)
    }

    /// - Parameters:
    ///   - name: the name of the variable, without backticks.
    ///   - storage: what it is stored in.
    static func rewrite(_ accessors: AccessorBlockSyntax, of name: String, to storage: String) -> AccessorBlockSyntax {
        StoredObservers(name: name, storage: storage).rewrite(accessors).as(AccessorBlockSyntax.self) ?? accessors
    }

    override func visit(_ node: AccessorDeclSyntax) -> DeclSyntax {
        isHidden = node.parameters.map(declares) == true
        return super.visit(node)
    }

    override func visit(_ node: CodeBlockItemListSyntax) -> CodeBlockItemListSyntax {
        let wasHidden = isHidden
        defer { isHidden = wasHidden }
        var isHiddenBehind = isHidden
        return CodeBlockItemListSyntax(
            node.map { item in
                let hides = declares(item)
                isHidden = isHiddenBehind || hides
                // What a declaration or a `guard` names, all behind it can name too.
                if hides, item.item.is(DeclSyntax.self) || item.item.is(GuardStmtSyntax.self) { isHiddenBehind = true }
                return visit(item)
            }
        )
    }

    override func visit(_ node: DeclReferenceExprSyntax) -> ExprSyntax {
        ExprSyntax(isHidden || !isVariable(node) ? node : stored(node))
    }

    override func visit(_ node: MemberAccessExprSyntax) -> ExprSyntax {
        guard let base = node.base else { return ExprSyntax(node) }
        if base.as(DeclReferenceExprSyntax.self)?.baseName.tokenKind == .keyword(.self), isVariable(node.declName) {
            return ExprSyntax(node.with(\.declName, stored(node.declName)))
        }
        return ExprSyntax(node.with(\.base, visit(base)))
    }

    override func visit(_ node: KeyPathExprSyntax) -> ExprSyntax { ExprSyntax(node) }

    private func isVariable(_ node: DeclReferenceExprSyntax) -> Bool {
        node.baseName.text.withoutBackticks == name && node.argumentNames == nil
            && node.parent?.as(FunctionCallExprSyntax.self)?.calledExpression.id != ExprSyntax(node).id
    }

    private func stored(_ node: DeclReferenceExprSyntax) -> DeclReferenceExprSyntax {
        var token = storage
        token.leadingTrivia = node.baseName.leadingTrivia
        token.trailingTrivia = node.baseName.trailingTrivia
        return node.with(\.baseName, token)
    }

    /// Whether something of this name is declared here, blocks of statements apart.
    private func declares(_ node: some SyntaxProtocol) -> Bool {
        let isDeclaration =
            node.is(IdentifierPatternSyntax.self) || node.is(FunctionDeclSyntax.self)
            || node.is(FunctionParameterSyntax.self) || node.is(ClosureParameterSyntax.self)
            || node.is(ClosureShorthandParameterSyntax.self) || node.is(ClosureCaptureSyntax.self)
            || node.is(AccessorParametersSyntax.self)
        return node.children(viewMode: .sourceAccurate).contains { child in
            if let token = child.as(TokenSyntax.self) {
                return isDeclaration && token.text.withoutBackticks == name
            }
            return !child.is(CodeBlockItemListSyntax.self) && declares(child)
        }
    }
}
