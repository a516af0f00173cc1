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
        let labels = parameters.map(\.label)
        guard !parameters.isEmpty else {
            type = "Void"
            // A case may have a parameter list without parameters.
            arguments = element.parameterClause == nil ? "" : "()"
            pattern = ""
            value = "()"
            return
        }
        let isTuple = parameters.count > 1
        let names = isTuple ? parameters.indices.map { "value\($0)" } : ["value"]
        let parts = isTuple ? parameters.indices.map { "$0.\($0)" } : ["$0"]
        func list(_ items: [String]) -> String { "(\(items.joined(separator: ", ")))" }
        func labelled(_ items: [String]) -> String { list(zip(labels, items).map { $0 + $1 }) }
        type = isTuple ? labelled(types) : types[0]
        arguments = labelled(parts)
        pattern = list(names.map { "let \($0)" })
        value = isTuple ? labelled(names) : names[0]
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

/// Where a case can be made at all. Code that makes an unavailable case compiles nowhere, not even where that code is
/// unavailable as well.
struct CaseAvailability {
    /// Whether the case is unavailable everywhere.
    private(set) var isNever = false
    /// The conditions of an `#if` that leaves out the platforms on which the case is unavailable.
    private(set) var conditions: [String] = []

    private static let platforms: Set<String> = ["macOS", "iOS", "tvOS", "watchOS", "visionOS"]

    init(_ attributes: AttributeListSyntax) {
        for attribute in attributes.availability {
            guard
                case .availability(let arguments) = attribute.arguments,
                arguments.contains(where: { $0.argument.trimmedDescription == "unavailable" }),
                let platform = arguments.first?.argument.trimmedDescription
            else { continue }
            if platform == "*" { isNever = true }
            if Self.platforms.contains(platform) { conditions.append("!os(\(platform))") }
        }
    }
}
