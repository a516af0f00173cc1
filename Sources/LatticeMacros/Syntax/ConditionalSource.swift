import SwiftSyntax

extension MemberBlockItemListSyntax {
    /// Returns the code for all members, one after the other. An `#if` around members is kept around their code.
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

    /// The members, including those inside an `#if`.
    var all: [DeclSyntax] {
        flatMap { member -> [DeclSyntax] in
            guard let conditional = member.decl.as(IfConfigDeclSyntax.self) else { return [member.decl] }
            return conditional.clauses.flatMap(\.members.all)
        }
    }
}

extension IfConfigClauseSyntax {
    /// The members of a clause inside a type.
    var members: MemberBlockItemListSyntax {
        guard case .decls(let members) = elements else { return [] }
        return members
    }

    /// The first line of the clause, such as `#if os(Linux)` or `#else`.
    fileprivate var head: String {
        poundKeyword.text + (condition.map { " \($0.trimmedDescription)" } ?? "")
    }
}

extension [String] {
    /// The lines, indented for a body, with `#if` at the left margin.
    var indented: String {
        map { $0.hasPrefix("#") ? $0 : "    \($0)" }.joined(separator: "\n")
    }
}
