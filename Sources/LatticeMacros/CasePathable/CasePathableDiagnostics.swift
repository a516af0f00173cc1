import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// What may be wrong with an enum that is to have case paths.
enum CasePathableDiagnostics {
    /// - Parameters:
    ///   - attribute: the attribute that expands.
    ///   - protocols: the conformances that the macro is to add.
    static func problems(
        of declaration: some DeclGroupSyntax,
        attribute: AttributeSyntax,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) -> [Diagnostic] {
        guard let enumeration = declaration.as(EnumDeclSyntax.self) else {
            return [notAnEnum(declaration, attribute: attribute)]
        }
        let members = enumeration.memberBlock.members
        if let type = enumeration.noncopyableMark { return [noncopyable(enumeration.name, mark: type)] }
        if let existing = handWritten(in: members) {
            return [alreadyThere(existing, in: enumeration, attribute: attribute)]
        }
        if !members.all.contains(where: { $0.is(EnumCaseDeclSyntax.self) }) {
            return [noCases(in: enumeration, attribute: attribute)]
        }
        var names: Set<String> = []
        return repeatedNames(in: members, seen: &names)
            + enumeration.problemsOfPrivateType(macro: "CasePathable", conformingTo: protocols, in: context)
    }

    private static func notAnEnum(_ declaration: some DeclGroupSyntax, attribute: AttributeSyntax) -> Diagnostic {
        let kind = declaration.kindAndName
        return Diagnostic(
            attribute,
            "casePathableNotAnEnum",
            "'@CasePathable' can only be applied to an enum, not to \(kind): case paths name the cases of an enum",
            fixIts: FixIt.removing(attribute, from: declaration.attributes)
        )
    }

    private static func noCases(in enumeration: EnumDeclSyntax, attribute: AttributeSyntax) -> Diagnostic {
        Diagnostic(
            enumeration.name,
            "casePathableWithoutCases",
            "'\(enumeration.name.text)' has no cases for '@CasePathable' to make case paths for",
            fixIts: FixIt.removing(attribute, from: enumeration.attributes)
        )
    }

    private static func noncopyable(_ name: TokenSyntax, mark: TypeSyntax) -> Diagnostic {
        Diagnostic(
            mark,
            "casePathableNoncopyable",
            "'@CasePathable' needs a copyable enum: reading a payload of '\(name.text)' through a case path copies it"
        )
    }

    private static func handWritten(in members: MemberBlockItemListSyntax) -> (Syntax, String)? {
        for member in members {
            if let type = member.decl.declaredType, type.text == "AllCasePaths" { return (Syntax(type), type.text) }
            guard let variable = member.decl.as(VariableDeclSyntax.self) else { continue }
            for binding in variable.bindings where binding.pattern.trimmedDescription == "allCasePaths" {
                return (Syntax(binding.pattern), "allCasePaths")
            }
        }
        return nil
    }

    private static func alreadyThere(
        _ existing: (node: Syntax, name: String),
        in enumeration: EnumDeclSyntax,
        attribute: AttributeSyntax
    ) -> Diagnostic {
        Diagnostic(
            existing.node,
            "casePathableAlreadyThere",
            "'@CasePathable' writes '\(existing.name)': remove this one, or the macro",
            fixIts: FixIt.removing(attribute, from: enumeration.attributes)
        )
    }

    /// Cases that share their name with one before them and differ in their labels only.
    ///
    /// - Parameter seen: the names before `members`. The clauses of an `#if` exclude each other, so each starts with
    ///   what stands before the `#if`.
    private static func repeatedNames(in members: MemberBlockItemListSyntax, seen: inout Set<String>) -> [Diagnostic] {
        var problems: [Diagnostic] = []
        for member in members {
            if let declaration = member.decl.as(EnumCaseDeclSyntax.self) {
                for element in declaration.elements where !seen.insert(element.name.text).inserted {
                    problems.append(repeated(element.name))
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

    private static func repeated(_ name: TokenSyntax) -> Diagnostic {
        Diagnostic(
            name,
            "casePathableRepeatedName",
            "'@CasePathable' cannot name two cases '\(name.text)' that differ in their labels only: rename one"
        )
    }
}

extension EnumDeclSyntax {
    /// The `~Copyable` of the inheritance clause, if there is one.
    fileprivate var noncopyableMark: TypeSyntax? {
        inheritanceClause?.inheritedTypes.lazy.map(\.type).first { type in
            type.as(SuppressedTypeSyntax.self)?.type.lastName?.text == "Copyable"
        }
    }
}
