import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// The coding keys of an observable state with synthesized coding. The keys have the names of the properties and not
/// those of the stored variables.
struct StateCodingKeys {
    let declaration: StructDeclSyntax

    /// Returns whether the keys have to be written.
    ///
    /// - Parameter missing: Those of the protocols `Encodable` and `Decodable` to which the struct does not conform.
    func isNeeded(missing: [TypeSyntax]) -> Bool {
        isSynthesized(missing: missing) && declared == nil
    }

    /// Returns diagnostics for keys that the struct declares itself with the name of a variable. The compiler
    /// synthesizes the coding and only knows the stored variables.
    func problems(missing: [TypeSyntax]) -> [Diagnostic] {
        guard isSynthesized(missing: missing), let declared else { return [] }
        let tracked = declaration.memberBlock.members.all
            .flatMap { $0.as(VariableDeclSyntax.self)?.storedProperties ?? [] }
            .filter { $0.observation == .tracked }
        let names = Set(tracked.map(\.plainName))
        return declared.caseElements
            .filter { names.contains($0.name.text.withoutBackticks) }
            .map { wrongKey($0, in: declared) }
    }

    private func wrongKey(_ element: EnumCaseElementSyntax, in keys: EnumDeclSyntax) -> Diagnostic {
        let name = element.name.text.withoutBackticks
        let value = element.rawValue?.value.trimmedDescription ?? "\"\(name)\""
        let key = "\(StoredProperty.storageName(of: name)) = \(value)"
        let trivia = element.rawValue?.trailingTrivia ?? element.name.trailingTrivia
        let renamed =
            element
            .with(\.name, element.name.with(\.tokenKind, .identifier(key)).with(\.trailingTrivia, trivia))
            .with(\.rawValue, nil)
        var changes: [FixIt.Change] = [.replacing(element, with: renamed)]
        let types = keys.inheritanceClause?.inheritedTypes
        if let first = types?.first, types?.contains(where: { $0.type.lastName?.text == "String" }) == false {
            let name = TokenSyntax.identifier("String, \(first.type.trimmedDescription)")
            changes.append(
                .replacing(first.type, with: name.with(\.trailingTrivia, first.type.trailingTrivia))
            )
        }
        return Diagnostic(
            element,
            "keyOfWrittenName",
            """
            '@ObservableState' stores '\(name)' as '\(StoredProperty.storageName(of: name))', which is what a key has \
            to name: 'case \(key)'
            """,
            fixIts: [FixIt("replaceKey", "Replace with 'case \(key)'", changes)]
        )
    }

    /// The `CodingKeys` that the struct declares itself.
    private var declared: EnumDeclSyntax? {
        declaration.memberBlock.members.enumerations(named: "CodingKeys").first
    }

    /// Returns whether the compiler synthesizes one of the two functions.
    private func isSynthesized(missing: [TypeSyntax]) -> Bool {
        let missing = missing.map { $0.lastName?.text }
        let members = declaration.memberBlock.members
        return (!missing.contains("Encodable") && members.function("encode", ["to"]) == nil)
            || (!missing.contains("Decodable") && members.function("init", ["from"]) == nil)
    }

    var source: DeclSyntax {
        let cases = declaration.memberBlock.members.source { member in
            (member.as(VariableDeclSyntax.self)?.storedProperties ?? []).filter { !$0.isLazy }.map { property in
                property.observation == .tracked
                    ? "case \(property.storageName) = \"\(property.plainName)\"" : "case \(property.name)"
            }
        }
        guard !cases.isEmpty else {
            return "private enum CodingKeys: CodingKey {}"
        }
        return """
            private enum CodingKeys: String, CodingKey {
            \(raw: cases.indented)
            }
            """
    }
}
