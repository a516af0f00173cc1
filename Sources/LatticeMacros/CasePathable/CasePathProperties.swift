import SwiftSyntax

/// Writes the properties of `AllCasePaths`.
struct CasePathProperties {
    /// The name under which the enum is known inside itself; stands for it with its generic parameters.
    let enumeration: TokenSyntax
    /// The access level of the properties with a space after it, or nothing.
    let access: String

    /// A property for each case among `members`; an `#if` around cases is kept around their properties.
    func source(for members: MemberBlockItemListSyntax) -> [String] {
        members.source { $0.as(EnumCaseDeclSyntax.self).map(properties) ?? [] }
    }

    private func properties(for declaration: EnumCaseDeclSyntax) -> [String] {
        let availability = CaseAvailability(declaration.attributes)
        guard !availability.isNever else { return [] }
        let properties = declaration.elements.map { property(for: $0, of: declaration) }
        guard !availability.conditions.isEmpty else { return properties }
        let condition = availability.conditions.joined(separator: " && ")
        return ["#if \(condition)"] + properties + ["#endif"]
    }

    private func property(for element: EnumCaseElementSyntax, of declaration: EnumCaseDeclSyntax) -> String {
        let name = element.name.text
        let payload = CasePayload(of: element, in: enumeration)
        return """
            \(declaration.attributes.availability.lines)\
            \(access)var \(name): Lattice.AnyCasePath<\(enumeration), \(payload.type)> {
                Lattice.AnyCasePath(
                    embed: { .\(name)\(payload.arguments) },
                    extract: { if case .\(name)\(payload.pattern) = $0 { \(payload.value) } else { nil } }
                )
            }
            """
    }
}

/// The associated values of a case as one value: `Void` for none, the value itself for one, a tuple for several.
private struct CasePayload {
    let type: String
    /// The arguments that make the case of `$0`.
    let arguments: String
    /// Binds the associated values by position, whatever their labels.
    let pattern: String
    /// Makes the payload of what `pattern` bound.
    let value: String

    init(of element: EnumCaseElementSyntax, in enumeration: TokenSyntax) {
        let parameters = Array(element.parameterClause?.parameters ?? [])
        let types = parameters.map { parameter in
            SelfReplacement(name: enumeration).rewrite(parameter.type).trimmedDescription
        }
        let labels = parameters.map { parameter in
            parameter.firstName.flatMap { $0.tokenKind == .wildcard ? nil : "\($0.text): " } ?? ""
        }
        let names = parameters.indices.map { "value\($0)" }
        switch parameters.count {
        case 0:
            type = "Void"
            // A case may have a parameter list without parameters.
            arguments = element.parameterClause == nil ? "" : "()"
            pattern = ""
            value = "()"
        case 1:
            type = types[0]
            arguments = "(\(labels[0])$0)"
            pattern = "(let value)"
            value = "value"
        default:
            type = "(\(zip(labels, types).map { $0 + $1 }.joined(separator: ", ")))"
            arguments = "(\(labels.enumerated().map { "\($1)$0.\($0)" }.joined(separator: ", ")))"
            pattern = "(\(names.map { "let \($0)" }.joined(separator: ", ")))"
            value = "(\(zip(labels, names).map { $0 + $1 }.joined(separator: ", ")))"
        }
    }
}

/// Puts the enum's name where its payloads say `Self`, which means another type inside `AllCasePaths`.
private final class SelfReplacement: SyntaxRewriter {
    private let name: TokenSyntax

    init(name: TokenSyntax) {
        self.name = name
        super.init()
    }

    override func visit(_ node: IdentifierTypeSyntax) -> TypeSyntax {
        guard node.name.tokenKind == .keyword(.Self) else { return super.visit(node) }
        return TypeSyntax(node.with(\.name, name.with(\.leadingTrivia, node.name.leadingTrivia)))
    }
}
