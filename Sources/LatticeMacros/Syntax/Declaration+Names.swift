import SwiftSyntax

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
