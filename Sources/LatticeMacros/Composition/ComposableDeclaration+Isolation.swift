import SwiftSyntax

extension ComposableDeclaration {
    /// What the members of the type are isolated to if they say nothing else, as messages name it.
    var isolation: String? {
        if declaration.is(ActorDeclSyntax.self) { return "the actor" }
        let attributes = declaration.attributes.compactMap { $0.as(AttributeSyntax.self) }
        return attributes.contains { $0.hasName("MainActor") } ? "the main actor" : nil
    }

    /// The members by which the type conforms and that are isolated as the type is: their names and keywords.
    func isolatedRequirements(of conformance: ComposableProtocol) -> [(name: TokenSyntax, keyword: TokenSyntax)] {
        let methods = [conformance.work] + conformance.others
        return members.compactMap { member in
            if let body = BodyProperty(member), !body.variable.modifiers.saysNonisolated {
                return (body.name, body.variable.bindingSpecifier)
            }
            guard
                let function = member.as(FunctionDeclSyntax.self), !function.modifiers.saysNonisolated,
                methods.contains(where: { $0.isDeclared(by: function) })
            else { return nil }
            return (function.name, function.funcKeyword)
        }
    }
}

extension DeclModifierListSyntax {
    fileprivate var saysNonisolated: Bool {
        contains { $0.name.tokenKind == .keyword(.nonisolated) }
    }
}
