import SwiftDiagnostics
import SwiftSyntax

extension FixIt {
    /// Removes an attribute and what separates it from the declaration after it.
    ///
    /// - Parameters:
    ///   - attribute: as a macro gets it, which is apart from the declaration.
    ///   - attributes: those of the declaration, this one among them. Without it there is nothing to fix.
    static func removing(_ attribute: AttributeSyntax, from attributes: AttributeListSyntax) -> [FixIt] {
        let name = attribute.attributeName.withoutGenericClause.trimmedDescription
        guard
            let written = attribute.written(in: attributes),
            let next = written.nextToken(viewMode: .sourceAccurate)
        else { return [] }
        let trivia = written.leadingTrivia + next.leadingTrivia.withoutFirstLineBreak
        return [
            FixIt(
                message: MacroMessage("remove", "Remove '@\(name)'"),
                changes: [
                    .replace(oldNode: Syntax(written), newNode: Syntax(AttributeListSyntax([]))),
                    .replaceLeadingTrivia(token: next, newTrivia: trivia),
                ]
            )
        ]
    }

    /// Removes a member of a type together with its line and the comments before it.
    ///
    /// - Parameters:
    ///   - member: the declaration, in its place among the members.
    ///   - text: the member as the fix-it names it.
    static func removing(_ member: some DeclSyntaxProtocol, text: String) -> [FixIt] {
        guard let item = member.parent?.as(MemberBlockItemSyntax.self) else { return [] }
        return [
            FixIt(
                message: MacroMessage("remove", "Remove `\(text)`"),
                changes: [.replace(oldNode: Syntax(item), newNode: Syntax(MemberBlockItemListSyntax([])))]
            )
        ]
    }
}

extension Trivia {
    /// Without the line break that this starts with, and without the indentation after it.
    fileprivate var withoutFirstLineBreak: Trivia {
        guard let first, first.isNewline else { return self }
        return Trivia(pieces: dropFirst().drop(while: \.isSpaceOrTab))
    }
}
