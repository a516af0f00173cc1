import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// Expands the macros in `source` and compares what comes of it, word for word.
///
/// - Parameters:
///   - source: as a person writes it.
///   - expanded: the source after expansion; by default nothing is added to it.
///   - diagnostics: all of them, with their positions and fix-its.
///   - fixIt: the one fix-it that is applied; by default all of them are.
///   - fixed: the source after the fix-its, where there are any.
///   - macros: the macros by the names under which the source uses them, with the conformances they may add.
func expectExpansion(
    of source: String,
    to expanded: String,
    diagnostics: [DiagnosticSpec] = [],
    applying fixIt: String? = nil,
    fixed: String? = nil,
    macros: [String: MacroSpec],
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
) {
    assertMacroExpansion(
        source,
        expandedSource: expanded,
        diagnostics: diagnostics,
        macroSpecs: macros,
        applyFixIts: fixIt.map { [$0] },
        fixedSource: fixed,
        indentationWidth: .spaces(4),
        failureHandler: { failure in
            let location = SourceLocation(
                fileID: failure.location.fileID,
                filePath: failure.location.filePath,
                line: failure.location.line,
                column: failure.location.column
            )
            Issue.record(Comment(rawValue: failure.message), sourceLocation: location)
        },
        fileID: fileID,
        filePath: filePath,
        line: line,
        column: column
    )
}
