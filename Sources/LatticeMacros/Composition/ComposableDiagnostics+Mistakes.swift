import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Mistakes in the `body` of a type, and in its replacement.
extension ComposableDiagnostics {
    /// The constraint that `body` should have: the protocol with the associated types of the enclosing type.
    private var ofSelf: String {
        // In a class or an actor, the type of a property must not contain `Self`.
        let isReference = source.declaration.is(ClassDeclSyntax.self) || source.declaration.is(ActorDeclSyntax.self)
        let name = isReference ? source.name?.text : nil
        return "\(conformance.ofSelf)<\(name ?? "Self")>"
    }

    /// Returns a diagnostic for a type with neither a `body` nor the method that replaces it.
    func missingWork(in context: some MacroExpansionContext) -> Diagnostic? {
        guard source.body == nil, !source.declares(conformance.work), let name = source.name else { return nil }
        let access = source.declaration.memberAccess(in: context)
        let work = conformance.work
        return Diagnostic(
            name,
            "missingWork",
            """
            '\(name.text)' needs 'body' or '\(work.description)' to be \(conformance.noun). If an extension has it, \
            declare the conformance to '\(conformance.name)' there, because '\(macro)' cannot see it.
            """,
            fixIts: [
                adding(["\(access)var body: some \(ofSelf) {", "    <#\(conformance.name)#>", "}"], named: "body"),
                adding(["\(access)\(work.signature) {", "    <#code#>", "}"], named: work.description),
            ]
        )
    }

    private func adding(_ member: [String], named name: String) -> FixIt {
        FixIt("add", "Add '\(name)'", [.adding(member: member, to: source.declaration)])
    }

    /// A diagnostic for a `body` of type `any Interactor`, which is not an interactor itself. A type without `some`
    /// means the same.
    var existentialBody: Diagnostic? {
        guard let type = source.body?.type else { return nil }
        let fixIt: FixIt
        if let specifier = source.body?.anySpecifier {
            let some = specifier.with(\.tokenKind, .keyword(.some))
            fixIt = FixIt("replaceAny", "Replace 'any' with 'some'", [.replacing(specifier, with: some)])
        } else if let name = type.lastName?.text, [conformance.name, conformance.ofSelf].contains(name) {
            let opaque = TypeSyntax("some \(type.trimmed)").with(\.trailingTrivia, type.trailingTrivia)
            fixIt = FixIt("addSome", "Add 'some'", [.replacing(type, with: opaque)])
        } else {
            return nil
        }
        let constraint = type.as(SomeOrAnyTypeSyntax.self)?.constraint ?? type
        return Diagnostic(
            type,
            "existentialBody",
            """
            The type of 'body' has to conform to '\(conformance.name)' itself, which 'any \(constraint.trimmed)' \
            does not: write 'some \(constraint.trimmed)'
            """,
            fixIts: [fixIt]
        )
    }

    /// A diagnostic for generic arguments in the type of `body` that differ from those of the macro.
    var otherGenericsOfBody: Diagnostic? {
        guard
            !expansion.arguments.isEmpty,
            let constraint = source.body?.opaqueConstraint,
            constraint.lastName?.text == conformance.name,
            !constraint.genericArguments.isEmpty,
            constraint.genericArguments.map(\.withoutSpaces) != expansion.arguments.map(\.withoutSpaces)
        else { return nil }
        let replacement = TypeSyntax("\(raw: ofSelf)").with(\.trailingTrivia, constraint.trailingTrivia)
        return Diagnostic(
            constraint,
            "otherGenericsOfBody",
            """
            Generic parameters have already been applied to '\(macro)', and those of 'body' differ from them. \
            Use 'some \(ofSelf)' here.
            """,
            fixIts: [FixIt("useOfSelf", "Replace with 'some \(ofSelf)'", [.replacing(constraint, with: replacement)])]
        )
    }

    /// Diagnostics for members that are isolated to the main actor or to the actor itself, and that a runtime cannot
    /// call from elsewhere.
    var isolatedMembers: [Diagnostic] {
        guard let isolation = source.isolation else { return [] }
        return source.isolatedRequirements(of: conformance).map { name, keyword in
            let change = FixIt.Change.adding(modifier: .nonisolated, before: keyword)
            return Diagnostic(
                name,
                "isolatedMember",
                """
                '\(name.text)' is isolated to \(isolation), but \(conformance.noun) is called by the runtime that \
                hosts it, wherever that runs: mark it 'nonisolated'
                """,
                fixIts: [FixIt("addNonisolated", "Add 'nonisolated'", [change])]
            )
        }
    }
}

extension String {
    /// The text without white space, for comparing types.
    fileprivate var withoutSpaces: String { filter { !$0.isWhitespace } }
}

/// Mistakes concerning the associated types.
extension ComposableDiagnostics {
    /// Returns a diagnostic for a type alias that the macro would write as well. The alias has priority.
    func redundantTypeAlias(_ name: String) -> Diagnostic? {
        guard !expansion.arguments.isEmpty, let alias = source.typeAlias(name) else { return nil }
        let text = "typealias \(alias.name.text) \(alias.initializer.trimmedDescription)"
        return Diagnostic(
            alias,
            "redundantTypeAlias",
            "Consider removing explicit `\(text)`. This is handled by the `\(macro)` macro.",
            severity: .warning,
            fixIts: FixIt.removing(alias, text: text)
        )
    }

    /// Returns a diagnostic for a nested type or generic parameter with the name of an associated type, if the macro
    /// has another type for it.
    ///
    /// The macro's arguments are looked up outside of the type. If an argument is spelled like a nested type and
    /// compiles, it therefore means another type. The nested type is the intended one and is used.
    func contradictingType(_ name: String, argument index: Int) -> Diagnostic? {
        guard expansion.arguments.indices.contains(index), let nested = source.nestedType(name) else { return nil }
        let argument = expansion.arguments[index]
        guard argument != name, !argument.hasSuffix(".\(name)") else { return nil }
        return Diagnostic(
            nested,
            "contradictingType",
            """
            '\(name)' is the \(conformance.name)'s '\(name)', but '\(macro)' is given '\(argument)' for it: rename \
            this type, or remove the generic arguments
            """,
            fixIts: removingArguments
        )
    }

    /// A diagnostic for generic arguments in the wrong order. It is derived from their names: the first one ends like
    /// the second associated type, and the second one is a state.
    var swappedTypes: Diagnostic? {
        guard
            let clause = expansion.attribute.attributeName.genericClause,
            let first = clause.arguments.first, let second = clause.arguments.last, clause.arguments.count == 2,
            let firstName = first.argument.as(TypeSyntax.self)?.lastName?.text,
            firstName.hasSuffix(conformance.types[1]),
            let secondName = second.argument.as(TypeSyntax.self)?.lastName?.text, secondName.hasSuffix("State"),
            !secondName.hasSuffix(conformance.types[1])
        else { return nil }
        let swapped = clause.with(
            \.arguments,
            [first.with(\.argument, second.argument.trimmed), second.with(\.argument, first.argument.trimmed)]
        )
        return Diagnostic(
            clause,
            "swappedTypes",
            """
            '\(macro)' takes the '\(conformance.types[0])' first, then the '\(conformance.types[1])': \
            '\(macro)\(swapped.trimmedDescription)'
            """,
            severity: .warning,
            fixIts: replacing(clause: swapped, text: swapped.trimmedDescription)
        )
    }

    private func replacing(clause: GenericArgumentClauseSyntax, text: String) -> [FixIt] {
        guard let old = written?.attributeName.genericClause else { return [] }
        return [FixIt("swapArguments", "Replace with '\(text)'", [.replacing(old, with: clause)])]
    }

    private var removingArguments: [FixIt] {
        guard let written, let clause = written.attributeName.genericClause else { return [] }
        let bare = written.with(\.attributeName, written.attributeName.withoutGenericClause)
        return [FixIt("removeArguments", "Remove '\(clause.trimmedDescription)'", [.replacing(written, with: bare)])]
    }

    /// The macro's attribute in the declaration.
    private var written: AttributeSyntax? { expansion.attribute.written(in: source.declaration.attributes) }
}
