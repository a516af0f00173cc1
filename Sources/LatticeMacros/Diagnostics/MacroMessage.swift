import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// The text of a diagnostic or of a fix-it of one of the macros.
struct MacroMessage: DiagnosticMessage, FixItMessage {
    let message: String
    let severity: DiagnosticSeverity
    private let name: String

    /// - Parameters:
    ///   - name: the same for every message of one kind, whatever names its text mentions.
    ///   - message: what is wrong and what to do, or, for a fix-it, what it does.
    init(_ name: String, _ message: String, severity: DiagnosticSeverity = .error) {
        self.name = name
        self.message = message
        self.severity = severity
    }

    var diagnosticID: MessageID { MessageID(domain: "Lattice", id: name) }
    var fixItID: MessageID { diagnosticID }
}

extension Diagnostic {
    /// - Parameters:
    ///   - name: the same for every message of one kind.
    ///   - message: what is wrong and what to do.
    init(
        _ node: some SyntaxProtocol,
        _ name: String,
        _ message: String,
        severity: DiagnosticSeverity = .error,
        fixIts: [FixIt] = []
    ) {
        self.init(node: node, message: MacroMessage(name, message, severity: severity), fixIts: fixIts)
    }
}

extension FixIt {
    /// - Parameters:
    ///   - name: the same for every fix-it of one kind.
    ///   - message: what it does.
    init(_ name: String, _ message: String, _ changes: [Change]) {
        self.init(message: MacroMessage(name, message), changes: changes)
    }
}

extension FixIt.Change {
    static func replacing(_ old: some SyntaxProtocol, with new: some SyntaxProtocol) -> FixIt.Change {
        .replace(oldNode: Syntax(old), newNode: Syntax(new))
    }
}

extension FixIt.Change {
    /// Writes a modifier before the keyword of a declaration.
    static func adding(modifier: Keyword, before keyword: TokenSyntax) -> FixIt.Change {
        // As one token with two words: so the white space around stays as it is.
        let words = keyword.with(\.tokenKind, .identifier("\(TokenSyntax.keyword(modifier).text) \(keyword.text)"))
        return .replacing(keyword, with: words)
    }

    /// Writes a member after the others.
    ///
    /// - Parameter lines: the lines of the member, indented as if it stood at the top of a file.
    static func adding(member lines: [String], to declaration: some DeclGroupSyntax) -> FixIt.Change {
        let block = declaration.memberBlock
        let outer = declaration.leadingTrivia.indentation.description
        let text = lines.joined(separator: "\n\(outer)    ")
        let separator = block.members.isEmpty ? "\n" : "\n\n"
        let member = MemberBlockItemSyntax(decl: DeclSyntax("\(raw: separator)\(raw: outer)    \(raw: text)"))
        var brace = block.rightBrace
        if !brace.leadingTrivia.contains(where: \.isNewline) { brace.leadingTrivia = .newline + .spaces(outer.count) }
        var changed = block
        changed.members = block.members + [member]
        changed.rightBrace = brace
        return .replacing(block, with: changed)
    }
}

extension Trivia {
    /// The white space after the last line break.
    var indentation: Trivia {
        Trivia(pieces: pieces.reversed().prefix { $0.isSpaceOrTab }.reversed())
    }
}

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
        let changes: [Change] = [
            .replacing(written, with: AttributeListSyntax([])),
            .replaceLeadingTrivia(
                token: next,
                newTrivia: written.leadingTrivia + next.leadingTrivia.withoutFirstLineBreak
            ),
        ]
        return [FixIt("remove", "Remove '@\(name)'", changes)]
    }

    /// Removes a member of a type together with its line and the comments before it.
    ///
    /// - Parameters:
    ///   - member: the declaration, in its place among the members.
    ///   - text: the member as the fix-it names it.
    static func removing(_ member: some DeclSyntaxProtocol, text: String) -> [FixIt] {
        guard let item = member.parent?.as(MemberBlockItemSyntax.self) else { return [] }
        return [FixIt("remove", "Remove `\(text)`", [.replacing(item, with: MemberBlockItemListSyntax([]))])]
    }
}

extension Trivia {
    /// Without the line break that this starts with, and without the indentation after it.
    fileprivate var withoutFirstLineBreak: Trivia {
        guard let first, first.isNewline else { return self }
        return Trivia(pieces: dropFirst().drop(while: \.isSpaceOrTab))
    }
}
