import SwiftSyntax

extension MemberBlockItemListSyntax {
    /// What is written for the members, one after the other; an `#if` around members stays around what is written for
    /// them.
    func source(for write: (DeclSyntax) -> [String]) -> [String] {
        flatMap { member -> [String] in
            guard let conditional = member.decl.as(IfConfigDeclSyntax.self) else { return write(member.decl) }
            let clauses = conditional.clauses.map { clause in
                (head: clause.head, lines: clause.members.source(for: write))
            }
            guard !clauses.allSatisfy(\.lines.isEmpty) else { return [] }
            return clauses.flatMap { [$0.head] + $0.lines } + ["#endif"]
        }
    }

    /// The members, those inside `#if` among them.
    var all: [DeclSyntax] {
        flatMap { member -> [DeclSyntax] in
            guard let conditional = member.decl.as(IfConfigDeclSyntax.self) else { return [member.decl] }
            return conditional.clauses.flatMap(\.members.all)
        }
    }
}

extension IfConfigClauseSyntax {
    /// The members of a clause among members of a type.
    var members: MemberBlockItemListSyntax {
        guard case .decls(let members) = elements else { return [] }
        return members
    }

    /// `#if os(Linux)`, `#else`.
    fileprivate var head: String {
        poundKeyword.text + (condition.map { " \($0.trimmedDescription)" } ?? "")
    }
}

extension [String] {
    /// The lines as they stand in a body, `#if` at the margin.
    var indented: String {
        map { $0.hasPrefix("#") ? $0 : "    \($0)" }.joined(separator: "\n")
    }
}
