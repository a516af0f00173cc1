import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// The message of a diagnostic or a fix-it of one of the macros.
struct MacroMessage: DiagnosticMessage, FixItMessage {
    let message: String
    let severity: DiagnosticSeverity
    private let name: String

    /// Creates a message.
    ///
    /// - Parameters:
    ///   - name: An identifier that all messages of one kind share.
    ///   - message: For a diagnostic, the problem and its solution. For a fix-it, its effect.
    ///   - severity: The severity of a diagnostic.
    init(_ name: String, _ message: String, severity: DiagnosticSeverity = .error) {
        self.name = name
        self.message = message
        self.severity = severity
    }

    var diagnosticID: MessageID { MessageID(domain: "Lattice", id: name) }
    var fixItID: MessageID { diagnosticID }
}

extension Diagnostic {
    /// Creates a diagnostic.
    ///
    /// - Parameters:
    ///   - node: The node to which it is attached.
    ///   - name: An identifier that all messages of one kind share.
    ///   - message: The problem and its solution.
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
    /// Creates a fix-it.
    ///
    /// - Parameters:
    ///   - name: An identifier that all fix-its of one kind share.
    ///   - message: Its effect.
    ///   - changes: The changes of the source.
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
    /// Adds a modifier before the keyword of a declaration.
    static func adding(modifier: Keyword, before keyword: TokenSyntax) -> FixIt.Change {
        // Both words are written as one token, so that the white space around them is unchanged.
        let words = keyword.with(\.tokenKind, .identifier("\(TokenSyntax.keyword(modifier).text) \(keyword.text)"))
        return .replacing(keyword, with: words)
    }

    /// Adds a member after the others.
    ///
    /// - Parameters:
    ///   - lines: The lines of the member without indentation.
    ///   - declaration: The type.
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
    /// Removes an attribute and the white space between it and the declaration.
    ///
    /// - Parameters:
    ///   - attribute: The attribute as the macro gets it, which is detached from the declaration.
    ///   - attributes: The attributes of the declaration. If they do not contain the attribute, there is no fix-it.
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
    ///   - member: The declaration as a node of the type.
    ///   - text: The name of the member in the fix-it's message.
    static func removing(_ member: some DeclSyntaxProtocol, text: String) -> [FixIt] {
        guard let item = member.parent?.as(MemberBlockItemSyntax.self) else { return [] }
        return [FixIt("remove", "Remove `\(text)`", [.replacing(item, with: MemberBlockItemListSyntax([]))])]
    }
}

extension Trivia {
    /// The trivia without a leading line break and the indentation after it.
    fileprivate var withoutFirstLineBreak: Trivia {
        guard let first, first.isNewline else { return self }
        return Trivia(pieces: dropFirst().drop(while: \.isSpaceOrTab))
    }
}
