import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

extension DeclGroupSyntax {
    /// The functions of `Patchable`; none where nothing changes by itself, and the value is sent as a whole.
    /// - Parameter isObserved: Whether `@ObservableState` stores the variables under names of its own.
    func patchMembers(isObserved: Bool, in context: some MacroExpansionContext) -> [DeclSyntax] {
        let bodies: PatchBodies
        if let structure = self.as(StructDeclSyntax.self) {
            bodies = StructPatch(declaration: structure, isObserved: isObserved).bodies
        } else if let enumeration = self.as(EnumDeclSyntax.self) {
            bodies = EnumPatch(declaration: enumeration).bodies
        } else {
            return []
        }
        return bodies.members(access: memberAccess(in: context))
    }

    /// A function of `Patchable` that is there already.
    var patchFunction: FunctionDeclSyntax? {
        memberBlock.members.all.lazy.compactMap { $0.as(FunctionDeclSyntax.self) }.first { function in
            let types = function.signature.parameterClause.parameters.map(\.type.trimmedDescription)
            return function.name.text == "encodePatch" && types.last?.hasSuffix("PatchEncoder") == true
                || function.name.text == "apply" && types.last?.hasSuffix("PatchDecoder") == true
        }
    }

    /// Whether the declaration itself says that the type conforms.
    func declaresConformance(to name: String) -> Bool {
        let types = inheritanceClause?.inheritedTypes.map(\.type) ?? []
        return types.flatMap { $0.as(CompositionTypeSyntax.self)?.elements.map(\.type) ?? [$0] }
            .contains { $0.lastName?.text == name }
    }
}

/// What the functions of `Patchable` do, in lines.
struct PatchBodies {
    /// Of `encodePatch(from:to:)`.
    let encoding: [String]
    /// The cases of the switch over the keys in `apply(_:)`; without any nothing changes by itself.
    let applying: [String]

    /// - Parameter access: The access level of the members with a space after it, or nothing.
    fileprivate func members(access: String) -> [DeclSyntax] {
        guard !applying.isEmpty else { return [] }
        return [
            """
            \(raw: access)func encodePatch(from old: Self, to patch: inout Lattice.PatchEncoder) throws {
            \(raw: encoding.indented)
            }
            """,
            """
            \(raw: access)mutating func apply(_ patch: inout Lattice.PatchDecoder) throws {
                try patch.fields { name, patch in
                    switch CodingKeys(stringValue: name) {
            \(raw: applying.map { $0.isDirective ? $0 : "        \($0)" }.joined(separator: "\n"))
                    default: throw patch.unknownField(name)
                    }
                }
            }
            """,
        ]
    }
}

extension String {
    /// `#if` and what belongs to it, which stands at the margin.
    fileprivate var isDirective: Bool { hasPrefix("#") }
}

/// A part of a value that is sent by itself: a property, or an associated value of a case.
struct PatchPart {
    /// The case of the coding keys that names it, as it is written.
    let key: String
    /// The name that it has where it is encoded, as far as that can be seen. It decides about the order only.
    let encodedName: String
    /// Its value before.
    let old: String
    /// Its value now, which is also where a change is applied.
    let new: String

    func encoding(under keys: PatchKeys) -> String {
        "try patch.field(\(keys.name).\(key).stringValue, from: \(old), to: \(new))"
    }

    var applying: [String] {
        ["case .\(key)?: try patch.apply(to: &\(new))"]
    }
}

extension [PatchPart] {
    /// In the order in which the wire has them, so that nothing has to be sorted there.
    var inOrder: Self {
        sorted { one, two in
            let (one, two) = (one.encodedName.utf8, two.encodedName.utf8)
            return one.count == two.count ? one.lexicographicallyPrecedes(two) : one.count < two.count
        }
    }
}

/// The coding keys of a type, or of a case of an enum.
///
/// Names are taken from them where the program runs: they may stand in an extension, which a macro does not see, and
/// without any the type's own `encode(to:)` may stand there.
struct PatchKeys {
    /// `CodingKeys`, `LoadedCodingKeys`.
    let name: String
    /// What they are encoded as, where the type itself declares them.
    private let declared: [String: String]?

    init(_ name: String, in members: MemberBlockItemListSyntax) {
        self.name = name
        let declarations = members.enumerations(named: name)
        declared = declarations.isEmpty ? nil : Self.names(of: declarations)
    }

    private static func names(of declarations: [EnumDeclSyntax]) -> [String: String] {
        let names = declarations.flatMap(\.caseElements).map { element in
            let name = element.name.text.withoutBackticks
            let text = element.rawValue?.value.as(StringLiteralExprSyntax.self)?.segments.trimmedDescription
            return (name, text ?? name)
        }
        return Dictionary(names) { first, _ in first }
    }

    /// - Parameter name: What it is encoded as where the compiler writes the keys.
    /// - Returns: What it is encoded as; nil if it is not encoded.
    func encodedName(of key: String, orElse name: String) -> String? {
        guard let declared else { return name }
        return declared[key.withoutBackticks]
    }
}
