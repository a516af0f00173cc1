import Testing

/// A macro that is expanded, and the conformances that it may add.
struct ExpandedMacro {
    let name: String
    var conformances: [String] = []

    var option: String { name + ":" + conformances.joined(separator: ",") }
}

/// A diagnostic that is expected.
struct DiagnosticSpec {
    enum Severity: String {
        case error, warning
    }

    let message: String
    let line: Int
    let column: Int
    var severity = Severity.error
    var fixIts: [FixItSpec] = []
}

struct FixItSpec {
    let message: String
}

/// Expands the macros in `source` and compares the result with what is expected, word for word.
///
/// - Parameters:
///   - source: The source as a person writes it.
///   - expanded: The source after the expansion.
///   - diagnostics: All of them, with their positions and fix-its.
///   - fixIt: The one fix-it that is applied. By default the first one of each diagnostic is.
///   - fixed: The source after the fix-its, if they are to be compared.
///   - macros: The macros to expand.
func expectExpansion(
    of source: String,
    to expanded: String,
    diagnostics: [DiagnosticSpec] = [],
    applying fixIt: String? = nil,
    fixed: String? = nil,
    macros: [ExpandedMacro],
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let result: Expander.Expansion
    do {
        result = try Expander.expand(source, macros: macros, applying: fixIt.map { [$0] } ?? [])
    } catch {
        Issue.record(error, sourceLocation: sourceLocation)
        return
    }
    #expect(result.syntaxErrors == [], sourceLocation: sourceLocation)
    #expect(withoutOuterLines(result.expanded) == withoutOuterLines(expanded), sourceLocation: sourceLocation)
    #expect(
        result.diagnostics.map(\.message) == diagnostics.map(\.message),
        "all diagnostics, in their order",
        sourceLocation: sourceLocation
    )
    for (actual, expected) in zip(result.diagnostics, diagnostics) {
        #expect(actual.line == "\(expected.line)", "line of '\(expected.message)'", sourceLocation: sourceLocation)
        #expect(
            actual.column == "\(expected.column)",
            "column of '\(expected.message)'",
            sourceLocation: sourceLocation
        )
        #expect(actual.severity == expected.severity.rawValue, sourceLocation: sourceLocation)
        #expect(actual.fixIts == expected.fixIts.map(\.message), sourceLocation: sourceLocation)
    }
    if let fixed {
        #expect(withoutTrailingSpaces(result.fixed) == withoutTrailingSpaces(fixed), sourceLocation: sourceLocation)
    }
}

/// The text without empty lines at its start and end.
private func withoutOuterLines(_ text: String) -> String {
    let start = text.drop(while: \.isNewline)
    return String(start.prefix(start.count - start.reversed().prefix(while: \.isNewline).count))
}

/// The text without spaces at the ends of its lines.
private func withoutTrailingSpaces(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false)
        .map { line in line.prefix(line.count - line.reversed().prefix { $0 == " " || $0 == "\t" }.count) }
        .joined(separator: "\n")
}
