import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Mistakes in the `body` of a type and in what stands for it.
extension ComposableDiagnostics {
    /// How `body` names the protocol with the types of the type that it belongs to.
    private var ofSelf: String {
        // In a class or an actor, `Self` may not stand in the type of a property.
        let isReference = source.declaration.is(ClassDeclSyntax.self) || source.declaration.is(ActorDeclSyntax.self)
        let name = isReference ? source.name?.text : nil
        return "\(conformance.ofSelf)<\(name ?? "Self")>"
    }

    /// A type with neither a `body` nor the method that stands for it.
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

    /// A `body` of type `any Interactor`, which is not an interactor itself; or without `some`, which means the same.
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

    /// Generic arguments of the type of `body` that differ from those of the macro.
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

    /// Members that belong to the main actor, or to the actor itself, and cannot be called by a runtime elsewhere.
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
    /// To compare types that are written with different spacing.
    fileprivate var withoutSpaces: String { filter { !$0.isWhitespace } }
}

/// Mistakes in what a type says about its associated types.
extension ComposableDiagnostics {
    /// A type alias that the macro writes as well. It stays in force until it is removed.
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

    /// A nested type or a generic parameter with the name of an associated type, for which the macro has another type.
    ///
    /// The macro's arguments are looked up outside the type, so an argument that is spelled like a nested type and
    /// compiles means another type; the nested one is meant, and taken.
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

    /// Arguments whose names say that they are in each other's place: the first is called as the second associated type
    /// is, and the second is a state.
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

    /// The macro in the declaration.
    private var written: AttributeSyntax? { expansion.attribute.written(in: source.declaration.attributes) }
}
