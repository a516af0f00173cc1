import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

extension FixIt.Change {
    /// Writes a modifier before the keyword of a declaration.
    static func adding(modifier: Keyword, before keyword: TokenSyntax) -> FixIt.Change {
        // As one token with two words: so the white space around stays as it is.
        let words = keyword.with(\.tokenKind, .identifier("\(TokenSyntax.keyword(modifier).text) \(keyword.text)"))
        return .replace(oldNode: Syntax(keyword), newNode: Syntax(words))
    }

    /// Writes a member after the others.
    ///
    /// - Parameter lines: the lines of the member, indented as if it stood at the top of a file.
    static func adding(member lines: [String], to declaration: some DeclGroupSyntax) -> FixIt.Change {
        let block = declaration.memberBlock
        let outer = declaration.leadingTrivia.indentation
        let text = lines.joined(separator: "\n\(outer)    ")
        let separator = block.members.isEmpty ? "\n" : "\n\n"
        let member = MemberBlockItemSyntax(decl: DeclSyntax("\(raw: separator)\(raw: outer)    \(raw: text)"))
        var brace = block.rightBrace
        if !brace.leadingTrivia.contains(where: \.isNewline) { brace.leadingTrivia = .newline + .spaces(outer.count) }
        var changed = block
        changed.members = block.members + [member]
        changed.rightBrace = brace
        return .replace(oldNode: Syntax(block), newNode: Syntax(changed))
    }
}

extension Trivia {
    /// The white space between the last line break and what follows.
    fileprivate var indentation: String {
        let description = self.description
        return String(
            description[
                (description.lastIndex(where: \.isNewline).map(description.index(after:)) ?? description.startIndex)...
            ]
        )
    }
}
