import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// The diagnostics of a type that should be patchable.
enum PatchableDiagnostics {
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
        guard declaration.is(StructDeclSyntax.self) || declaration.is(EnumDeclSyntax.self) else {
            return [wrongKind(declaration, attribute: attribute)]
        }
        if let observed = observedState(declaration, attribute: attribute) { return [observed] }
        if let existing = declaration.patchFunction {
            let message = "'@Patchable' writes '\(existing.name.text)': remove this one, or the macro"
            let fixIts = FixIt.removing(attribute, from: declaration.attributes)
            return [Diagnostic(existing.name, "patchableAlreadyThere", message, fixIts: fixIts)]
        }
        return ownEncoding(of: declaration, macro: "Patchable")
            + tuples(in: declaration)
            + declaration.problemsOfPrivateType(macro: "Patchable", conformingTo: protocols, in: context)
    }

    private static func wrongKind(_ declaration: some DeclGroupSyntax, attribute: AttributeSyntax) -> Diagnostic {
        let kind = declaration.kindAndName
        return Diagnostic(
            attribute,
            "patchableKind",
            """
            '@Patchable' can only be applied to a struct or an enum, not to \(kind): an old value must not change
            """,
            fixIts: FixIt.removing(attribute, from: declaration.attributes)
        )
    }

    /// Returns a diagnostic for an observable state, whose properties are stored under names that only
    /// `@ObservableState` knows.
    private static func observedState(_ declaration: some DeclGroupSyntax, attribute: AttributeSyntax) -> Diagnostic? {
        guard declaration.attributes.has("ObservableState") else { return nil }
        return Diagnostic(
            attribute,
            "patchableObserved",
            """
            '@ObservableState' makes a state patchable that declares the conformance to 'Patchable': declare it, \
            without this macro
            """,
            fixIts: FixIt.removing(attribute, from: declaration.attributes)
        )
    }

    /// Returns a diagnostic for a type with its own encoding.
    ///
    /// - Parameters:
    ///   - declaration: The type.
    ///   - macro: The name of the macro that writes the functions.
    static func ownEncoding(of declaration: some DeclGroupSyntax, macro: String) -> [Diagnostic] {
        guard
            let function = declaration.memberBlock.members.function("encode", ["to"])?.as(FunctionDeclSyntax.self),
            let type = declaration.asProtocol((any NamedDeclSyntax).self)?.name.text
        else { return [] }
        let message = """
            '\(type)' has its own 'encode(to:)', which '@\(macro)' cannot follow: write \
            'encodePatch(from:to:)' and 'apply(_:)' by hand
            """
        return [Diagnostic(function.name, "patchableOwnEncoding", message)]
    }

    private static func tuples(in declaration: some DeclGroupSyntax) -> [Diagnostic] {
        declaration.memberBlock.members.all
            .compactMap { $0.as(VariableDeclSyntax.self) }
            .filter { declaration.is(StructDeclSyntax.self) && !$0.modifiers.areOfType }
            .flatMap(\.bindings)
            .filter { $0.pattern.is(TuplePatternSyntax.self) }
            .map { binding in
                let message = "'@Patchable' sends properties by their names: declare each of these by itself"
                return Diagnostic(binding.pattern, "patchableTuple", message)
            }
    }
}
