import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// The expansion of the macro of a composable protocol.
struct ComposableExpansion {
    let conformance: ComposableProtocol
    let attribute: AttributeSyntax
    let source: ComposableDeclaration

    init(_ conformance: ComposableProtocol, attribute: AttributeSyntax, declaration: some DeclGroupSyntax) {
        self.conformance = conformance
        self.attribute = attribute
        source = ComposableDeclaration(declaration)
    }

    /// The generic arguments of the macro.
    var arguments: [String] { attribute.attributeName.genericArguments }

    /// Returns type aliases for the macro's arguments, unless the type declares its own.
    func members(in context: some MacroExpansionContext) -> [DeclSyntax] {
        let access = source.declaration.memberAccess(in: context)
        return aliases.map { "\(raw: access)typealias \(raw: $0.name) = \(raw: $0.outerName ?? $0.argument)" }
    }

    /// Returns type aliases next to the type, for arguments that have another meaning inside of it.
    func peers() -> [DeclSyntax] {
        let level = source.declaration.modifiers.accessLevel.map { $0 == .open ? .public : $0 }
        let access = level.map { "\(TokenSyntax.keyword($0).text) " } ?? ""
        let availability = source.declaration.attributes.availability.lines
        return aliases.compactMap { alias in
            alias.outerName.map { "\(raw: availability)\(raw: access)typealias \(raw: $0) = \(raw: alias.argument)" }
        }
    }

    /// The alias to write for an argument of the macro.
    private struct Alias {
        let name: String
        let argument: String
        /// The name of a second alias outside of the type. It is needed if `argument` names an associated type, because
        /// inside the type that name would refer to the alias itself.
        let outerName: String?
    }

    private var aliases: [Alias] {
        let types = attribute.attributeName.genericClause?.arguments.map { Syntax($0.argument) } ?? []
        guard types.count == conformance.types.count, let type = source.name?.text.withoutBackticks else {
            return []
        }
        return zip(conformance.types, types).compactMap { name, argument in
            guard source.typeAlias(name) == nil, source.nestedType(name) == nil else { return nil }
            return Alias(
                name: name,
                argument: argument.trimmedDescription,
                outerName: argument.names(oneOf: conformance.types + ["Body"]) ? "_$\(name)_\(type)" : nil
            )
        }
    }

    /// Returns the result builder for `body`. The compiler does not infer it from a conformance in an extension.
    func attributes(for member: some DeclSyntaxProtocol) -> [AttributeSyntax] {
        guard
            let body = BodyProperty(member), body.canBeBuilt,
            !body.variable.attributes.has(conformance.builder)
        else { return [] }
        let types = builderTypes(of: body).joined(separator: ", ")
        return ["@Lattice.\(raw: conformance.builder)<\(raw: types)>"]
    }

    /// Returns the types that `body` states, or the associated types if it states none.
    private func builderTypes(of body: BodyProperty) -> [String] {
        guard
            let constraint = body.opaqueConstraint,
            constraint.lastName?.text == conformance.name,
            constraint.genericArguments.count == conformance.types.count
        else { return conformance.types }
        return constraint.genericArguments
    }
}

extension Syntax {
    /// Returns whether the type refers to one of these names, other than as a member of another type.
    fileprivate func names(oneOf names: [String]) -> Bool {
        if let type = self.as(IdentifierTypeSyntax.self), names.contains(type.name.text) { return true }
        return children(viewMode: .sourceAccurate).contains { $0.names(oneOf: names) }
    }
}
