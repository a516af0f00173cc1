import SwiftDiagnostics

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
