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
    func missingWork(in context: some MacroExpansionContext) -> Problem? {
        guard source.body == nil, !source.declares(conformance.work), let name = source.name else { return nil }
        let access = source.declaration.memberAccess(in: context)?.description ?? ""
        let work = conformance.work
        let diagnostic = Diagnostic(
            node: name,
            message: MacroMessage(
                "missingWork",
                """
                '\(name.text)' needs 'body' or '\(work.description)' to be \(conformance.noun). If an extension has it, \
                declare the conformance to '\(conformance.name)' there, because '\(macro)' cannot see it.
                """
            ),
            fixIts: [
                adding(["\(access)var body: some \(ofSelf) {", "    <#\(conformance.name)#>", "}"], named: "body"),
                adding(["\(access)\(work.signature) {", "    <#code#>", "}"], named: work.description),
            ]
        )
        return Problem(diagnostic: diagnostic, preventsConformance: true)
    }

    private func adding(_ member: [String], named name: String) -> FixIt {
        FixIt(message: MacroMessage("add", "Add '\(name)'"), changes: [.adding(member: member, to: source.declaration)])
    }

    /// A `body` of type `any Interactor`, which is not an interactor itself; or without `some`, which means the same.
    var existentialBody: Problem? {
        guard let type = source.body?.type else { return nil }
        let fixIt: FixIt
        if let specifier = source.body?.anySpecifier {
            let some = specifier.with(\.tokenKind, .keyword(.some))
            fixIt = FixIt(
                message: MacroMessage("replaceAny", "Replace 'any' with 'some'"),
                changes: [.replace(oldNode: Syntax(specifier), newNode: Syntax(some))]
            )
        } else if let name = type.lastName?.text, [conformance.name, conformance.ofSelf].contains(name) {
            let opaque = TypeSyntax("some \(type.trimmed)").with(\.trailingTrivia, type.trailingTrivia)
            fixIt = FixIt(
                message: MacroMessage("addSome", "Add 'some'"),
                changes: [.replace(oldNode: Syntax(type), newNode: Syntax(opaque))]
            )
        } else {
            return nil
        }
        let constraint = type.as(SomeOrAnyTypeSyntax.self)?.constraint ?? type
        let diagnostic = Diagnostic(
            node: type,
            message: MacroMessage(
                "existentialBody",
                """
                The type of 'body' has to conform to '\(conformance.name)' itself, which 'any \(constraint.trimmed)' \
                does not: write 'some \(constraint.trimmed)'
                """
            ),
            fixIt: fixIt
        )
        return Problem(diagnostic: diagnostic, preventsConformance: true)
    }

    /// Generic arguments of the type of `body` that differ from those of the macro.
    var otherGenericsOfBody: Problem? {
        guard
            !expansion.arguments.isEmpty,
            let constraint = source.body?.opaqueConstraint,
            constraint.lastName?.text == conformance.name,
            !constraint.genericArguments.isEmpty,
            constraint.genericArguments.map(\.withoutSpaces) != expansion.arguments.map(\.withoutSpaces)
        else { return nil }
        let replacement = TypeSyntax("\(raw: ofSelf)").with(\.trailingTrivia, constraint.trailingTrivia)
        let diagnostic = Diagnostic(
            node: constraint,
            message: MacroMessage(
                "otherGenericsOfBody",
                """
                Generic parameters have already been applied to '\(macro)', and those of 'body' differ from them. \
                Use 'some \(ofSelf)' here.
                """
            ),
            fixIt: FixIt(
                message: MacroMessage("useOfSelf", "Replace with 'some \(ofSelf)'"),
                changes: [.replace(oldNode: Syntax(constraint), newNode: Syntax(replacement))]
            )
        )
        return Problem(diagnostic: diagnostic, preventsConformance: true)
    }

    /// Members that belong to the main actor, or to the actor itself, and cannot be called by a runtime elsewhere.
    var isolatedMembers: [Problem] {
        guard let isolation = source.isolation else { return [] }
        return source.isolatedRequirements(of: conformance).map { name, keyword in
            let diagnostic = Diagnostic(
                node: name,
                message: MacroMessage(
                    "isolatedMember",
                    """
                    '\(name.text)' is isolated to \(isolation), but \(conformance.noun) is called by the runtime that \
                    hosts it, wherever that runs: mark it 'nonisolated'
                    """
                ),
                fixIt: FixIt(
                    message: MacroMessage("addNonisolated", "Add 'nonisolated'"),
                    changes: [.adding(modifier: .nonisolated, before: keyword)]
                )
            )
            return Problem(diagnostic: diagnostic, preventsConformance: true)
        }
    }
}

extension String {
    /// To compare types that are written with different spacing.
    fileprivate var withoutSpaces: String { filter { !$0.isWhitespace } }
}
