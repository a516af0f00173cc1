import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// The diagnostics of an enum that should have case paths.
enum CasePathableDiagnostics {
    /// Returns all diagnostics.
    ///
    /// - Parameters:
    ///   - declaration: The type.
    ///   - attribute: The attribute that is expanded.
    ///   - protocols: The conformances that the macro has to add.
    ///   - context: The context of the expansion.
    static func problems(
        of declaration: some DeclGroupSyntax,
        attribute: AttributeSyntax,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) -> [Diagnostic] {
        let removal = FixIt.removing(attribute, from: declaration.attributes)
        guard let enumeration = declaration.as(EnumDeclSyntax.self) else {
            let kind = declaration.kindAndName
            return [
                Diagnostic(
                    attribute,
                    "casePathableNotAnEnum",
                    "'@CasePathable' can only be applied to an enum, not to \(kind): case paths name the cases of an enum",
                    fixIts: removal
                )
            ]
        }
        let (name, members) = (enumeration.name, enumeration.memberBlock.members)
        if let mark = enumeration.noncopyableMark {
            let message = """
                '@CasePathable' needs a copyable enum: reading a payload of '\(name.text)' through a case path copies it
                """
            return [Diagnostic(mark, "casePathableNoncopyable", message)]
        }
        if let existing = handWritten(in: members) {
            let message = "'@CasePathable' writes '\(existing.trimmed)': remove this one, or the macro"
            return [Diagnostic(existing, "casePathableAlreadyThere", message, fixIts: removal)]
        }
        if !members.all.contains(where: { $0.is(EnumCaseDeclSyntax.self) }) {
            let message = "'\(name.text)' has no cases for '@CasePathable' to make case paths for"
            return [Diagnostic(name, "casePathableWithoutCases", message, fixIts: removal)]
        }
        var names: Set<String> = []
        return repeatedNames(in: members, seen: &names)
            + enumeration.problemsOfPrivateType(macro: "CasePathable", conformingTo: protocols, in: context)
    }

    /// Returns a handwritten declaration that the macro would write as well.
    private static func handWritten(in members: MemberBlockItemListSyntax) -> Syntax? {
        members.lazy.flatMap { member -> [Syntax] in
            let patterns = member.decl.as(VariableDeclSyntax.self)?.bindings.map { Syntax($0.pattern) } ?? []
            return patterns + [member.decl.declaredType].compactMap { $0.map(Syntax.init) }
        }.first { ["AllCasePaths", "allCasePaths"].contains($0.trimmedDescription) }
    }

    /// Returns diagnostics for cases that have the same name as an earlier one and only differ in their labels.
    ///
    /// - Parameters:
    ///   - members: The members.
    ///   - seen: The names before `members`. The clauses of an `#if` exclude each other, so each one starts with the
    ///     names before the `#if`.
    private static func repeatedNames(in members: MemberBlockItemListSyntax, seen: inout Set<String>) -> [Diagnostic] {
        var problems: [Diagnostic] = []
        for member in members {
            if let declaration = member.decl.as(EnumCaseDeclSyntax.self) {
                for element in declaration.elements where !seen.insert(element.name.text).inserted {
                    let name = element.name
                    let message = """
                        '@CasePathable' cannot name two cases '\(name.text)' that differ in their labels only: rename one
                        """
                    problems.append(Diagnostic(name, "casePathableRepeatedName", message))
                }
            } else if let conditional = member.decl.as(IfConfigDeclSyntax.self) {
                let before = seen
                for clause in conditional.clauses {
                    var names = before
                    problems += repeatedNames(in: clause.members, seen: &names)
                    seen.formUnion(names)
                }
            }
        }
        return problems
    }
}

extension EnumDeclSyntax {
    /// The `~Copyable` in the inheritance clause, if there is one.
    fileprivate var noncopyableMark: TypeSyntax? {
        inheritanceClause?.inheritedTypes.lazy.map(\.type).first { type in
            type.as(SuppressedTypeSyntax.self)?.type.lastName?.text == "Copyable"
        }
    }
}
