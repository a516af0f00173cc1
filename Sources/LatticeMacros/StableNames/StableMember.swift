import SwiftSyntax

/// A distributed method or property for the table of stable names.
struct StableMember {
    /// An entry of the table.
    struct Entry {
        let name: String
        /// A Boolean value that indicates whether this is an earlier name of the method, from when it had fewer
        /// parameters.
        let isFormer: Bool
        /// The source of the entry.
        let source: String
    }

    private enum Kind {
        case method(FunctionDeclSyntax)
        case property(TokenSyntax, AccessorBlockSyntax?)
    }

    private let kind: Kind

    /// Returns nil if the member is not distributed.
    init?(_ member: DeclSyntax) {
        if let function = member.as(FunctionDeclSyntax.self), function.modifiers.areDistributed {
            kind = .method(function)
        } else if let variable = member.as(VariableDeclSyntax.self), variable.modifiers.areDistributed,
            let binding = variable.bindings.first,
            let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier
        {
            kind = .property(name, binding.accessorBlock)
        } else {
            return nil
        }
    }

    /// The token with the member's name.
    var token: TokenSyntax {
        switch kind {
        case .method(let function): function.name
        case .property(let name, _): name
        }
    }

    /// The full name without backticks.
    var name: String { name(of: parameters[...]) }

    private var parameters: [FunctionParameterSyntax] {
        if case .method(let function) = kind { Array(function.signature.parameterClause.parameters) } else { [] }
    }

    private func name(of parameters: ArraySlice<FunctionParameterSyntax>) -> String {
        "\(token.text)(\(parameters.map { "\($0.firstName.text):" }.joined()))".withoutBackticks
    }

    /// The generic part of the signature, whose types only a caller knows, or nil if there is none.
    var genericPart: Syntax? {
        guard case .method(let function) = kind else { return nil }
        if let clause = function.genericParameterClause { return Syntax(clause) }
        return parameters.lazy.compactMap { $0.type.opaque }.first
    }

    /// The entries: the current name, and the names without the last parameters as far as these have defaults.
    var entries: [Entry] {
        let optional = parameters.reversed().prefix { $0.defaultValue != nil }.count
        return (0...optional).map { entry(with: parameters.dropLast($0), isFormer: $0 > 0) }
    }

    /// The keywords `try` and `await` that a call on the actor needs, with a space after each.
    private var effects: String {
        let (isAsync, canThrow): (Bool, Bool)
        switch kind {
        case .method(let function):
            let specifiers = function.signature.effectSpecifiers
            (isAsync, canThrow) = (specifiers?.asyncSpecifier != nil, specifiers?.throwsClause != nil)
        case .property(_, let block):
            guard case .accessors(let accessors)? = block?.accessors else { return "" }
            let specifiers = accessors.first { $0.accessorSpecifier.tokenKind == .keyword(.get) }?.effectSpecifiers
            (isAsync, canThrow) = (specifiers?.asyncSpecifier != nil, specifiers?.throwsClause != nil)
        }
        return (canThrow ? "try " : "") + (isAsync ? "await " : "")
    }

    private func entry(with parameters: ArraySlice<FunctionParameterSyntax>, isFormer: Bool) -> Entry {
        let name = name(of: parameters)
        let declared = parameters.enumerated().map {
            ", argument\($0): \($1.type.withoutSpecifiers.trimmedDescription)"
        }
        let given = parameters.enumerated().map { position, parameter in
            parameter.firstName.tokenKind == .wildcard
                ? "argument\(position)" : "\(parameter.firstName.text): argument\(position)"
        }
        let call =
            switch kind {
            case .method: "\(token.text)(\(given.joined(separator: ", ")))"
            case .property: token.text
            }
        let head = "LatticeActors.StableMethod(\"\(name)\"\(isFormer ? ", isFormer: true" : ""))"
        return Entry(
            name: name,
            isFormer: isFormer,
            source: "\(head) { (actor: isolated Self\(declared.joined())) in \(effects)actor.\(call) }"
        )
    }
}

extension DeclModifierListSyntax {
    /// A Boolean value that indicates whether the member is distributed.
    var areDistributed: Bool { contains { $0.name.tokenKind == .keyword(.distributed) } }
}

extension TypeSyntax {
    /// The type without specifiers such as `sending`, which the argument of a decoding closure does not need.
    fileprivate var withoutSpecifiers: TypeSyntax { self.as(AttributedTypeSyntax.self)?.baseType ?? self }

    /// A type of the form `some P`, at any place in this type.
    fileprivate var opaque: Syntax? {
        if let type = self.as(SomeOrAnyTypeSyntax.self), type.someOrAnySpecifier.tokenKind == .keyword(.some) {
            return Syntax(type)
        }
        return withoutSpecifiers.genericClause?.arguments.lazy
            .compactMap { $0.argument.as(TypeSyntax.self)?.opaque }.first
    }
}
