import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

extension DeclGroupSyntax {
    /// Returns the functions of `Patchable`. There are none if no part changes separately and the value is sent as a
    /// whole.
    ///
    /// - Parameters:
    ///   - isObserved: Whether `@ObservableState` stores the variables under other names.
    ///   - context: The context of the expansion.
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

    /// A function of `Patchable` that the type declares itself.
    var patchFunction: FunctionDeclSyntax? {
        memberBlock.members.all.lazy.compactMap { $0.as(FunctionDeclSyntax.self) }.first { function in
            let types = function.signature.parameterClause.parameters.map(\.type.trimmedDescription)
            return function.name.text == "encodePatch" && types.last?.hasSuffix("PatchEncoder") == true
                || function.name.text == "apply" && types.last?.hasSuffix("PatchDecoder") == true
        }
    }

    /// Returns whether the declaration itself states the conformance.
    func declaresConformance(to name: String) -> Bool {
        let types = inheritanceClause?.inheritedTypes.map(\.type) ?? []
        return types.flatMap { $0.as(CompositionTypeSyntax.self)?.elements.map(\.type) ?? [$0] }
            .contains { $0.lastName?.text == name }
    }
}

/// The lines of the functions of `Patchable`.
struct PatchBodies {
    /// The lines of `encodePatch(from:to:)`.
    let encoding: [String]
    /// The cases of the switch over the keys in `apply(_:)`. If there are none, no part changes separately.
    let applying: [String]

    /// Returns the functions.
    ///
    /// - Parameter access: The access level of the members with a space after it, or an empty string.
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
    /// A Boolean value that indicates whether the line is a directive such as `#if`, which is written at the left
    /// margin.
    fileprivate var isDirective: Bool { hasPrefix("#") }
}

/// A part of a value that is sent separately: a property, or an associated value of a case.
struct PatchPart {
    /// The case of the coding keys for the part, as it is written.
    let key: String
    /// The encoded name, if the macro can see it. It only affects the order.
    let encodedName: String
    /// The expression for the old value.
    let old: String
    /// The expression for the new value, to which a change is also applied.
    let new: String

    func encoding(under keys: PatchKeys) -> String {
        "try patch.field(\(keys.name).\(key).stringValue, from: \(old), to: \(new))"
    }

    var applying: [String] {
        ["case .\(key)?: try patch.apply(to: &\(new))"]
    }
}

extension [PatchPart] {
    /// The parts in the order of the encoded map, so that nothing has to be sorted at run time.
    var inOrder: Self {
        sorted { one, two in
            let (one, two) = (one.encodedName.utf8, two.encodedName.utf8)
            return one.count == two.count ? one.lexicographicallyPrecedes(two) : one.count < two.count
        }
    }
}

/// The coding keys of a type, or of a case of an enum.
///
/// The generated code takes the names from the keys at run time. The keys may be declared in an extension that a macro
/// does not see, or the type's own `encode(to:)` may use other ones.
struct PatchKeys {
    /// The name of the enum with the keys, such as `CodingKeys` or `LoadedCodingKeys`.
    let name: String
    /// The encoded names by key, if the type declares the keys itself.
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

    /// Returns the encoded name of a key, or nil if it is not encoded.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - name: The encoded name if the compiler synthesizes the keys.
    func encodedName(of key: String, orElse name: String) -> String? {
        guard let declared else { return name }
        return declared[key.withoutBackticks]
    }
}
