import SwiftDiagnostics
import SwiftSyntax

/// Mistakes in what a type says about its associated types.
extension ComposableDiagnostics {
    /// A type alias that the macro writes as well. It stays in force until it is removed.
    func redundantTypeAlias(_ name: String) -> Problem? {
        guard !expansion.arguments.isEmpty, let alias = source.typeAlias(name) else { return nil }
        let text = "typealias \(alias.name.text) \(alias.initializer.trimmedDescription)"
        let diagnostic = Diagnostic(
            node: alias,
            message: MacroMessage(
                "redundantTypeAlias",
                "Consider removing explicit `\(text)`. This is handled by the `\(macro)` macro.",
                severity: .warning
            ),
            fixIts: FixIt.removing(alias, text: text)
        )
        return Problem(diagnostic: diagnostic)
    }

    /// A nested type or a generic parameter with the name of an associated type, for which the macro has another type.
    ///
    /// The macro's arguments are looked up outside the type, so an argument that is spelled like a nested type and
    /// compiles means another type; the nested one is meant, and taken.
    func contradictingType(_ name: String, argument index: Int) -> Problem? {
        guard expansion.arguments.indices.contains(index), let nested = source.nestedType(name) else { return nil }
        let argument = expansion.arguments[index]
        guard argument != name, !argument.hasSuffix(".\(name)") else { return nil }
        let diagnostic = Diagnostic(
            node: nested,
            message: MacroMessage(
                "contradictingType",
                """
                '\(name)' is the \(conformance.name)'s '\(name)', but '\(macro)' is given '\(argument)' for it: rename \
                this type, or remove the generic arguments
                """
            ),
            fixIts: removingArguments
        )
        return Problem(diagnostic: diagnostic)
    }

    /// Arguments whose names say that they are in each other's place: the first is called as the second associated type is,
    /// and the second is a state.
    var swappedTypes: Problem? {
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
        let diagnostic = Diagnostic(
            node: clause,
            message: MacroMessage(
                "swappedTypes",
                """
                '\(macro)' takes the '\(conformance.types[0])' first, then the '\(conformance.types[1])': \
                '\(macro)\(swapped.trimmedDescription)'
                """,
                severity: .warning
            ),
            fixIts: replacing(clause: swapped, text: swapped.trimmedDescription)
        )
        return Problem(diagnostic: diagnostic)
    }

    private func replacing(clause: GenericArgumentClauseSyntax, text: String) -> [FixIt] {
        guard
            let written = expansion.attribute.written(in: source.declaration.attributes),
            let old = written.attributeName.genericClause
        else { return [] }
        let message = MacroMessage("swapArguments", "Replace with '\(text)'")
        return [FixIt(message: message, changes: [.replace(oldNode: Syntax(old), newNode: Syntax(clause))])]
    }

    private var removingArguments: [FixIt] {
        guard
            let written = expansion.attribute.written(in: source.declaration.attributes),
            let clause = written.attributeName.genericClause
        else { return [] }
        let message = MacroMessage("removeArguments", "Remove '\(clause.trimmedDescription)'")
        let bare = written.with(\.attributeName, written.attributeName.withoutGenericClause)
        return [FixIt(message: message, changes: [.replace(oldNode: Syntax(written), newNode: Syntax(bare))])]
    }
}
