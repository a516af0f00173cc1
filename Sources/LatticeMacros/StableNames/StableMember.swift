import SwiftSyntax

/// A distributed method or property, which the table of stable names has.
struct StableMember {
    /// A name in the table.
    struct Entry {
        let name: String
        /// Whether it is one that the method had when it had fewer parameters.
        let isFormer: Bool
        /// As it stands in the table.
        let source: String
    }

    private enum Kind {
        case method(FunctionDeclSyntax)
        case property(TokenSyntax, AccessorBlockSyntax?)
    }

    private let kind: Kind

    /// nil: it is not distributed.
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

    /// Where its name stands.
    var token: TokenSyntax {
        switch kind {
        case .method(let function): function.name
        case .property(let name, _): name
        }
    }

    /// The full name, without what marks keywords.
    var name: String { name(of: parameters[...]) }

    private var parameters: [FunctionParameterSyntax] {
        if case .method(let function) = kind { Array(function.signature.parameterClause.parameters) } else { [] }
    }

    private func name(of parameters: ArraySlice<FunctionParameterSyntax>) -> String {
        "\(token.text)(\(parameters.map { "\($0.firstName.text):" }.joined()))".withoutBackticks
    }

    /// What stands for a type in its signature, which only a caller knows; nil: nothing.
    var genericPart: Syntax? {
        guard case .method(let function) = kind else { return nil }
        if let clause = function.genericParameterClause { return Syntax(clause) }
        return parameters.lazy.compactMap { $0.type.opaque }.first
    }

    /// Its names in the table: the one that it has, and those without its last parameters, as far as they have
    /// defaults.
    var entries: [Entry] {
        let optional = parameters.reversed().prefix { $0.defaultValue != nil }.count
        return (0...optional).map { entry(with: parameters.dropLast($0), isFormer: $0 > 0) }
    }

    /// What stands in front of a call from where the actor runs, with a space after it.
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
    /// Whether they make a member one that may be called from elsewhere.
    var areDistributed: Bool { contains { $0.name.tokenKind == .keyword(.distributed) } }
}

extension TypeSyntax {
    /// Without `sending` and the like, which no argument of a closure needs that is decoded for it.
    fileprivate var withoutSpecifiers: TypeSyntax { self.as(AttributedTypeSyntax.self)?.baseType ?? self }

    /// `some P`, wherever it stands in the type.
    fileprivate var opaque: Syntax? {
        if let type = self.as(SomeOrAnyTypeSyntax.self), type.someOrAnySpecifier.tokenKind == .keyword(.some) {
            return Syntax(type)
        }
        return withoutSpecifiers.genericClause?.arguments.lazy
            .compactMap { $0.argument.as(TypeSyntax.self)?.opaque }.first
    }
}
