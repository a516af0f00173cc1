import SwiftSyntax

/// Rewrites `willSet` and `didSet` to use the stored variable where they name the observed variable.
///
/// Swift does the same for an ordinary variable: its own observers access it without calling them again. Without this
/// rewriting, `didSet { level = min(level, 9) }` would set the variable through its accessors and recurse forever.
final class StoredObservers: SyntaxRewriter {
    private let name: String
    private let storage: TokenSyntax
    private let scopes: NameScopes

    private init(name: String, storage: String) {
        self.name = name
        self.storage = .identifier(storage)
        scopes = NameScopes(name: name)
        super.init(viewMode: .sourceAccurate)
    }

    /// Rewrites the observers.
    ///
    /// - Parameters:
    ///   - accessors: The observers.
    ///   - name: The name of the variable, without backticks.
    ///   - storage: The name of the stored variable.
    static func rewrite(_ accessors: AccessorBlockSyntax, of name: String, to storage: String) -> AccessorBlockSyntax {
        // The block is detached from its parents, because outside of the observers the name refers to the variable.
        let rewritten = StoredObservers(name: name, storage: storage).rewrite(accessors.detached)
        return rewritten.as(AccessorBlockSyntax.self) ?? accessors
    }

    override func visit(_ node: DeclReferenceExprSyntax) -> ExprSyntax {
        ExprSyntax(isVariable(node) && !scopes.hide(Syntax(node)) ? stored(node) : node)
    }

    override func visit(_ node: MemberAccessExprSyntax) -> ExprSyntax {
        guard let base = node.base else { return ExprSyntax(node) }
        if base.as(DeclReferenceExprSyntax.self)?.baseName.tokenKind == .keyword(.self), isVariable(node.declName),
            !scopes.isInsideType(Syntax(node))
        {
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
}
