import SwiftDiagnostics
import SwiftParser
import SwiftParserDiagnostics
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros

/// The command `LatticeMacros-tool expand`, which prints what the macros write for the source on standard input.
///
/// The tests of the macros run it. A test target that links the macros would be built for the host, and SwiftPM would
/// then build all other test targets, and everything they link, a second time.
///
/// ```
/// LatticeMacros-tool expand --macro CasePathable:CasePathable --fix "Remove '@CasePathable'" < Source.swift
/// ```
///
/// `--macro NAME[:CONFORMANCE,…]` names a macro to expand and the conformances that it may add. `--fix MESSAGE` names a
/// fix-it to apply; without any, the first one of each diagnostic is applied. Each may be repeated.
///
/// The output is a list of fields. Each ends with a zero byte, since no Swift source contains one. The first field of a
/// record is its kind:
///
/// - `expanded`, the source after the expansion.
/// - `fixed`, the source after the fix-its.
/// - `syntaxError`, a syntax error in the expanded source, with its line.
/// - `diagnostic`, its identifier, message, line, column and severity.
/// - `fixIt`, the message of a fix-it of the diagnostic before it.
struct ExpandCommand {
    struct UsageError: Error, CustomStringConvertible {
        let description: String
    }

    private var macros: [String: MacroSpec] = [:]
    private var fixIts: [String] = []

    /// Creates a command.
    ///
    /// - Parameter arguments: The arguments after `expand`.
    init(_ arguments: some Sequence<String>) throws {
        var arguments = arguments.makeIterator()
        while let option = arguments.next() {
            guard let value = arguments.next() else {
                throw UsageError(description: "'\(option)' needs a value.")
            }
            switch option {
            case "--macro": try add(macro: value)
            case "--fix": fixIts.append(value)
            default: throw UsageError(description: "'\(option)' is not an option of 'expand'. Use --macro or --fix.")
            }
        }
    }

    private mutating func add(macro text: String) throws {
        let parts = text.split(separator: ":", maxSplits: 1)
        let name = parts.first.map(String.init) ?? ""
        let types = LatticeMacrosPlugin().providingMacros
        guard let type = types.first(where: { String(describing: $0) == name + "Macro" }) else {
            throw UsageError(description: "There is no macro '\(name)'.")
        }
        let conformances = parts.dropFirst().joined().split(separator: ",").map {
            TypeSyntax(IdentifierTypeSyntax(name: .identifier(String($0))))
        }
        macros[name] = MacroSpec(type: type, conformances: conformances)
    }

    /// Returns the fields of the output, in their order.
    func fields(for source: String) -> [String] {
        let original = Parser.parse(source: source)
        let context = BasicMacroExpansionContext(
            sourceFiles: [original: .init(moduleName: "TestModule", fullFilePath: "test.swift")]
        )
        let expanded = original.expand(
            macroSpecs: macros,
            contextGenerator: {
                BasicMacroExpansionContext(sharingWith: context, lexicalContext: $0.allMacroLexicalContexts())
            },
            indentationWidth: .spaces(4)
        )
        var fields = ["expanded", expanded.description]
        for error in ParseDiagnosticsGenerator.diagnostics(for: expanded) {
            let place = error.location(converter: SourceLocationConverter(fileName: "", tree: expanded))
            fields += ["syntaxError", "line \(place.line): \(error.message)"]
        }
        for diagnostic in context.diagnostics {
            let place = context.location(for: diagnostic.position, anchoredAt: diagnostic.node, fileName: "")
            fields += ["diagnostic", "\(diagnostic.diagnosticID)", diagnostic.message]
            fields += ["\(place.line)", "\(place.column)", "\(diagnostic.diagMessage.severity)"]
            for fixIt in diagnostic.fixIts { fields += ["fixIt", fixIt.message.message] }
        }
        return fields + ["fixed", fixed(source, context)]
    }

    /// Returns the source after the fix-its of the diagnostics.
    private func fixed(_ source: String, _ context: BasicMacroExpansionContext) -> String {
        let messages =
            fixIts.isEmpty ? context.diagnostics.compactMap { $0.fixIts.first?.message.message } : fixIts
        let edits = context.diagnostics.flatMap(\.fixIts)
            .filter { messages.contains($0.message.message) }
            .flatMap { $0.changes.map { $0.edit(in: context) } }
            .sorted { ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound) }
        var result: [UInt8] = []
        var rest = Array(source.utf8)[...]
        for edit in edits where edit.range.lowerBound >= rest.startIndex {
            result += rest[..<edit.range.lowerBound] + edit.text.utf8
            rest = rest[edit.range.upperBound...]
        }
        return String(decoding: result + rest, as: UTF8.self)
    }
}

extension FixIt.Change {
    /// The bytes of the source that the change replaces, and what replaces them.
    fileprivate func edit(in context: BasicMacroExpansionContext) -> (range: Range<Int>, text: String) {
        let ends: (start: AbsolutePosition, end: AbsolutePosition)
        let node: Syntax
        let text: String
        switch self {
        case .replace(let old, let new):
            (ends, node, text) = ((old.position, old.endPosition), old, new.description)
        case .replaceLeadingTrivia(let token, let trivia):
            ends = (token.position, token.positionAfterSkippingLeadingTrivia)
            (node, text) = (Syntax(token), trivia.description)
        case .replaceTrailingTrivia(let token, let trivia):
            ends = (token.endPositionBeforeTrailingTrivia, token.endPosition)
            (node, text) = (Syntax(token), trivia.description)
        case .replaceChild(let data):
            ends = (data.replacementRange.lowerBound, data.replacementRange.upperBound)
            (node, text) = (Syntax(data.parent), data.newChild.description)
        case .replaceText(let range, let replacement, let place):
            (ends, node, text) = ((range.lowerBound, range.upperBound), place, replacement)
        }
        let offset = { context.location(for: $0, anchoredAt: node, fileName: "").offset }
        return (offset(ends.start)..<offset(ends.end), text)
    }
}
