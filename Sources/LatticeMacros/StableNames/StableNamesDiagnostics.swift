import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// The diagnostics of a type that should have a table of stable names.
enum StableNamesDiagnostics {
    static func problems(
        of declaration: some DeclGroupSyntax,
        attribute: AttributeSyntax,
        in context: some MacroExpansionContext
    ) -> [Diagnostic] {
        let isActor = declaration.is(ActorDeclSyntax.self) && declaration.modifiers.areDistributed
        guard isActor || declaration.is(ProtocolDeclSyntax.self) else {
            return [wrongKind(declaration, attribute: attribute)]
        }
        if let own = ownTable(of: declaration, attribute: attribute) { return [own] }
        return declaration.problemsOfPrivateType(macro: "StableNames", conformingTo: ["StableNamed"], in: context)
            + generics(in: declaration) + twice(in: declaration)
    }

    private static func wrongKind(_ declaration: some DeclGroupSyntax, attribute: AttributeSyntax) -> Diagnostic {
        let message = """
            '@StableNames' can only be applied to a distributed actor, or to a protocol of one, not to \
            \(declaration.kindAndName): nothing else has methods that are called from elsewhere
            """
        let fixIts = FixIt.removing(attribute, from: declaration.attributes)
        return Diagnostic(attribute, "stableNamesKind", message, fixIts: fixIts)
    }

    private static func ownTable(of declaration: some DeclGroupSyntax, attribute: AttributeSyntax) -> Diagnostic? {
        let own = declaration.memberBlock.members.all.lazy.compactMap { $0.as(VariableDeclSyntax.self) }.first {
            $0.bindings.first?.pattern.trimmedDescription == "stableMethods"
        }
        guard let own else { return nil }
        let message = "'@StableNames' writes 'stableMethods': remove this one, or the macro"
        let fixIts = FixIt.removing(attribute, from: declaration.attributes)
        return Diagnostic(own.bindings, "stableNamesAlreadyThere", message, fixIts: fixIts)
    }

    /// Returns a place in which a method would be called by its mangled name.
    private static func elsewhere(than declaration: some DeclGroupSyntax) -> String {
        declaration.is(ProtocolDeclSyntax.self) ? "a protocol without this macro" : "an extension"
    }

    private static func generics(in declaration: some DeclGroupSyntax) -> [Diagnostic] {
        declaration.stableMembers.compactMap { member in
            member.genericPart.map { part in
                let message = """
                    '\(member.name)' is generic, and a table cannot say with which types it is called: write a method for \
                    each type, or move it into \(elsewhere(than: declaration)), where it is called by the compiler's name
                    """
                return Diagnostic(part, "stableNamesGeneric", message)
            }
        }
    }

    private static func twice(in declaration: some DeclGroupSyntax) -> [Diagnostic] {
        // Members inside an `#if` are left out, because only one of its clauses is compiled.
        let members = declaration.memberBlock.members.compactMap { StableMember($0.decl) }
        var names: Set<String> = []
        return members.filter { !names.insert($0.name).inserted }.map { member in
            let message = """
                '\(member.name)' is declared twice, and the name does not distinguish the types: give one of them another \
                label, or move it into \(elsewhere(than: declaration)), where it is called by the compiler's name
                """
            return Diagnostic(member.token, "stableNamesTwice", message)
        }
    }
}
