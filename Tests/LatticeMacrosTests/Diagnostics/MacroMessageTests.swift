import SwiftDiagnostics
import Testing

@testable import LatticeMacros

struct MacroMessageTests {
    @Test func messagesOfOneKindHaveOneIdentity() {
        let first = MacroMessage("notAnEnum", "'A' is not an enum")
        let second = MacroMessage("notAnEnum", "'B' is not an enum", severity: .warning)
        #expect(first.diagnosticID == second.fixItID)
        #expect(first.fixItID == MessageID(domain: "Lattice", id: "notAnEnum"))
        #expect(first.severity == .error)
        #expect(second.severity == .warning)
        #expect(second.message == "'B' is not an enum")
    }
}
