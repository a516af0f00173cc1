import SwiftDiagnostics
import SwiftSyntax

/// The text of a diagnostic, a fix-it or a note of one of the macros.
struct MacroMessage: DiagnosticMessage, FixItMessage, NoteMessage {
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
    var noteID: MessageID { diagnosticID }
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
