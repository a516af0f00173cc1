import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// What the macro of a composable protocol writes.
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

    /// Type aliases for the macro's arguments, except where the type declares its own.
    func members(in context: some MacroExpansionContext) -> [DeclSyntax] {
        guard arguments.count == conformance.types.count else { return [] }
        let access = source.declaration.memberAccess(in: context)?.description ?? ""
        return zip(conformance.types, arguments).compactMap { name, argument in
            guard source.typeAlias(name) == nil, source.nestedType(name) == nil else { return nil }
            return "\(raw: access)typealias \(raw: name) = \(raw: argument)"
        }
    }

    /// The result builder for `body`, which the compiler does not infer from a conformance in an extension.
    func attributes(for member: some DeclSyntaxProtocol) -> [AttributeSyntax] {
        guard
            let body = BodyProperty(member), body.canBeBuilt,
            !body.hasAttribute(conformance.builder)
        else { return [] }
        let types = builderTypes(of: body).joined(separator: ", ")
        return ["@Lattice.\(raw: conformance.builder)<\(raw: types)>"]
    }

    /// The types that `body` itself states, if it does; else the associated types.
    private func builderTypes(of body: BodyProperty) -> [String] {
        guard
            let constraint = body.opaqueConstraint,
            constraint.lastName?.text == conformance.name,
            constraint.genericArguments.count == conformance.types.count
        else { return conformance.types }
        return constraint.genericArguments
    }

    func conformanceExtension(
        of type: some TypeSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> ExtensionDeclSyntax {
        let availability = source.declaration.availability(in: context).lines
        return try ExtensionDeclSyntax(
            "\(raw: availability)extension \(type.trimmed): Lattice.\(raw: conformance.name) {}"
        )
    }
}
