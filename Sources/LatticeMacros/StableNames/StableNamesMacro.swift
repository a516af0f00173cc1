import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@StableNames` writes the table of the methods of a distributed actor, or of one of its protocols.
///
/// The type has to declare the conformance to `StableNamed`. The macro does not add it, because the protocol belongs to
/// a module on which the module of the macros does not depend.
enum StableNamesMacro: ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        let problems = StableNamesDiagnostics.problems(of: declaration, attribute: node, in: context)
        for problem in problems { context.diagnose(problem) }
        guard problems.isEmpty else { return [] }
        let names = Set(declaration.stableMembers.map(\.name))
        let appends = declaration.memberBlock.members.source { member in
            (StableMember(member)?.entries ?? [])
                .filter { !$0.isFormer || !names.contains($0.name) }
                .map { "methods.append(\($0.source))" }
        }
        let access = declaration.memberAccess(in: context)
        let body =
            appends.isEmpty
            ? ["[]"] : ["var methods: [LatticeActors.StableMethod] = []"] + appends + ["return methods"]
        return [
            try ExtensionDeclSyntax(
                """
                \(raw: declaration.availability(in: context).lines)extension \(type.trimmed) {
                    \(raw: access)nonisolated static var stableMethods: [LatticeActors.StableMethod] {
                \(raw: body.map { $0.hasPrefix("#") ? $0 : "        \($0)" }.joined(separator: "\n"))
                    }
                }
                """
            )
        ]
    }
}

extension DeclGroupSyntax {
    /// The members that belong into the table.
    var stableMembers: [StableMember] { memberBlock.members.all.compactMap { StableMember($0) } }
}
