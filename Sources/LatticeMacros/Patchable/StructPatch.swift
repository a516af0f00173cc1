import SwiftSyntax

/// The patch of a struct, with one line of code for each property.
struct StructPatch {
    private let members: MemberBlockItemListSyntax
    private let keys: PatchKeys
    private let isObserved: Bool

    init(declaration: StructDeclSyntax, isObserved: Bool) {
        members = declaration.memberBlock.members
        keys = PatchKeys("CodingKeys", in: members)
        self.isObserved = isObserved
    }

    var bodies: PatchBodies {
        // A value with other constants is sent as a whole.
        let constants = members.source { member in
            parts(of: member, constant: true).flatMap { part in
                ["if \(part.new) != \(part.old) {", "    return try patch.set(self)", "}"]
            }
        }
        return PatchBodies(
            encoding: constants + lines { [$0.encoding(under: keys)] },
            applying: lines(for: \.applying)
        )
    }

    /// Returns the lines for the variables in order. Variables inside an `#if` come last.
    private func lines(for write: (PatchPart) -> [String]) -> [String] {
        let plain = members.filter { !$0.decl.is(IfConfigDeclSyntax.self) }
        let conditional = members.filter { $0.decl.is(IfConfigDeclSyntax.self) }
        return plain.flatMap { parts(of: $0.decl, constant: false) }.inOrder.flatMap(write)
            + conditional.source { parts(of: $0, constant: false).flatMap(write) }
    }

    private func parts(of member: DeclSyntax, constant isConstant: Bool) -> [PatchPart] {
        guard
            let variable = member.as(VariableDeclSyntax.self),
            !variable.attributes.has("WorkerLocal"),
            isConstant == (variable.bindingSpecifier.tokenKind == .keyword(.let))
        else { return [] }
        return variable.storedProperties.compactMap { part(of: $0, in: variable) }
    }

    private func part(of property: StoredProperty, in variable: VariableDeclSyntax) -> PatchPart? {
        guard !property.isLazy, !property.isFixed, property.plainName != "_$observationRegistrar" else { return nil }
        let key = isObserved && property.observation == .tracked ? property.storageName : property.name
        guard let name = keys.encodedName(of: key, orElse: property.plainName) else { return nil }
        // If there is a property wrapper, the wrapper is encoded.
        let storage = variable.isStoredElsewhere ? StoredProperty.storageName(of: key) : key
        return PatchPart(key: key, encodedName: name, old: "old.\(storage)", new: "self.\(storage)")
    }
}
