import SwiftSyntax

/// Writes the properties of `AllCasePaths`.
struct CasePathProperties {
    /// The name of the enum inside itself. It includes the generic parameters implicitly.
    let enumeration: TokenSyntax
    /// The access level of the properties with a space after it, or an empty string.
    let access: String

    /// Returns a property for each case among `members`. An `#if` around cases is kept around their properties.
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

/// The associated values of a case as one value. It is `Void` for none, the value itself for one, and a tuple for
/// several.
private struct CasePayload {
    let type: String
    /// The arguments that create the case from `$0`.
    let arguments: String
    /// The pattern that binds the associated values by position, with any labels.
    let pattern: String
    /// The expression that creates the payload from the bound values.
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

/// Replaces `Self` in payloads by the enum's name, because `Self` is another type inside `AllCasePaths`.
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

/// The availability of a case. Code that creates an unavailable case does not compile on any platform, even if the code
/// itself is unavailable.
struct CaseAvailability {
    /// A Boolean value that indicates whether the case is unavailable on all platforms.
    private(set) var isNever = false
    /// The conditions of an `#if` that excludes the platforms on which the case is unavailable.
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
