import SwiftSyntax

/// The patch of an enum: the payload of a case that does not change. A change of the case sends the whole value.
struct EnumPatch {
    private let members: MemberBlockItemListSyntax

    init(declaration: EnumDeclSyntax) {
        members = declaration.memberBlock.members
    }

    var bodies: PatchBodies {
        PatchBodies(
            encoding: lines(for: \.encoding) + ["if self != old {", "    try patch.set(self)", "}"],
            applying: lines { $0.applying(leaving: plainCase) }
        )
    }

    private func lines(for write: (PatchCase) -> [String]) -> [String] {
        let keys = PatchKeys("CodingKeys", in: members)
        return members.source { member in
            // Generated code must not name an unavailable case, so its value is sent as a whole.
            guard let declaration = member.as(EnumCaseDeclSyntax.self), declaration.attributes.availability.isEmpty
            else { return [] }
            return declaration.elements.compactMap { PatchCase($0, keys: keys, in: members) }.flatMap(write)
        }
    }

    /// A case without a payload, which the enum can have while its payload is changed.
    private var plainCase: String? {
        members.lazy
            .compactMap { $0.decl.as(EnumCaseDeclSyntax.self) }
            .filter(\.attributes.availability.isEmpty)
            .flatMap(\.elements)
            .first { $0.parameterClause == nil }?.name.text
    }
}

/// A case of an enum whose payload is sent separately.
private struct PatchCase {
    private let name: String
    private let keys: PatchKeys
    private let labels: [String]
    /// The associated values that are sent, by their positions.
    private let parts: [Int: PatchPart]

    /// Returns nil for a case without a payload that is sent.
    init?(_ element: EnumCaseElementSyntax, keys: PatchKeys, in members: MemberBlockItemListSyntax) {
        name = element.name.text
        guard keys.encodedName(of: name, orElse: name) != nil else { return nil }
        let payloadKeys = PatchKeys("\(name.withoutBackticks.capitalizedFirst)CodingKeys", in: members)
        self.keys = payloadKeys
        let parameters = Array(element.parameterClause?.parameters ?? [])
        labels = parameters.map(\.label)
        let numbered = parameters.enumerated().compactMap { position, parameter -> (Int, PatchPart)? in
            let key = parameter.argumentLabel ?? "_\(position)"
            return payloadKeys.encodedName(of: key, orElse: key.withoutBackticks).map { name in
                (position, PatchPart(key: key, encodedName: name, old: "old\(position)", new: "new\(position)"))
            }
        }
        guard !numbered.isEmpty else { return nil }
        parts = Dictionary(uniqueKeysWithValues: numbered)
    }

    private var partsInOrder: [PatchPart] { Array(parts.values).inOrder }

    private func list(_ item: (Int) -> String) -> String {
        "(\(labels.indices.map(item).joined(separator: ", ")))"
    }

    var encoding: [String] {
        let (old, new) = (
            list { parts[$0] == nil ? "_" : "let old\($0)" }, list { parts[$0] == nil ? "_" : "let new\($0)" }
        )
        return ["if case .\(name)\(old) = old, case .\(name)\(new) = self {"]
            + ["    return try patch.payload(of: CodingKeys.\(name).stringValue) { patch in"]
            + partsInOrder.map { "        \($0.encoding(under: keys))" }
            + ["    }", "}"]
    }

    /// Returns the lines that apply a change of the payload.
    ///
    /// - Parameter plainCase: A case that the enum has meanwhile. The payload then has only one owner and is changed in
    ///   place.
    func applying(leaving plainCase: String?) -> [String] {
        let pattern = list { "\(parts[$0] == nil ? "let" : "var") new\($0)" }
        return ["case .\(name)?:"]
            + ["    guard case .\(name)\(pattern) = self else {"]
            + [#"        throw patch.mismatch("it is not in the case \"\#(name.withoutBackticks)\"")"#, "    }"]
            + (plainCase.map { ["    self = .\($0)"] } ?? [])
            + ["    try patch.payload { name, patch in", "        switch \(keys.name)(stringValue: name) {"]
            + partsInOrder.flatMap(\.applying).map { "        \($0)" }
            + ["        default: throw patch.unknownField(name)", "        }", "    }"]
            + ["    self = .\(name)\(list { "\(labels[$0])new\($0)" })"]
    }
}

extension String {
    /// The text with a capital first letter, as the compiler writes it in front of `CodingKeys`.
    fileprivate var capitalizedFirst: String {
        prefix(1).map { $0.isASCII ? $0.uppercased() : String($0) }.joined() + dropFirst()
    }
}
