import SwiftSyntax

/// The parts of a type's source that matter for its conformance to a composable protocol.
struct ComposableDeclaration {
    let declaration: any DeclGroupSyntax
    /// The members, including those inside an `#if`.
    let members: [DeclSyntax]
    let body: BodyProperty?

    init(_ declaration: some DeclGroupSyntax) {
        self.declaration = declaration
        members = declaration.memberBlock.members.all
        body = members.lazy.compactMap { BodyProperty($0) }.first
    }

    var name: TokenSyntax? {
        declaration.asProtocol((any NamedDeclSyntax).self)?.name
    }

    /// Returns whether one of the members is this method.
    func declares(_ requirement: ComposableProtocol.Requirement) -> Bool {
        members.contains { $0.as(FunctionDeclSyntax.self).map(requirement.isDeclared) ?? false }
    }

    func typeAlias(_ name: String) -> TypeAliasDeclSyntax? {
        members.lazy.compactMap { $0.as(TypeAliasDeclSyntax.self) }.first { $0.name.text == name }
    }

    /// Returns the name of a nested type or generic parameter that replaces a type alias.
    func nestedType(_ name: String) -> TokenSyntax? {
        let nested = members.lazy.filter { !$0.is(TypeAliasDeclSyntax.self) }.compactMap(\.declaredType)
        let parameters = declaration.asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause?
            .parameters
        return nested.first { $0.text == name } ?? parameters?.lazy.map(\.name).first { $0.text == name }
    }
}

extension ComposableDeclaration {
    /// The default isolation of the type's members, as named in messages, or nil if they are nonisolated.
    var isolation: String? {
        if declaration.is(ActorDeclSyntax.self) { return "the actor" }
        return declaration.attributes.has("MainActor") ? "the main actor" : nil
    }

    /// Returns the members that fulfil the protocol and inherit the isolation of the type, with their names and
    /// keywords.
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
