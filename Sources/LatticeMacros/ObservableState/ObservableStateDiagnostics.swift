import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// The diagnostics of a type that should be an observable state.
enum ObservableStateDiagnostics {
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
        guard isSupported(declaration) else { return [wrongKind(declaration, attribute: attribute)] }
        let isPatched = declaration.declaresConformance(to: "Patchable") && declaration.patchFunction == nil
        let variables = declaration.memberBlock.members.all.compactMap { $0.as(VariableDeclSyntax.self) }
        return declaration.problemsOfPrivateType(macro: "ObservableState", conformingTo: protocols, in: context)
            + variables.flatMap(foreignAttributes)
            + (isPatched ? PatchableDiagnostics.ownEncoding(of: declaration, macro: "ObservableState") : [])
            + (declaration.is(StructDeclSyntax.self) ? variables.compactMap(severalNames) : [])
    }

    static func isSupported(_ declaration: some DeclGroupSyntax) -> Bool {
        declaration.is(StructDeclSyntax.self) || declaration.is(EnumDeclSyntax.self)
    }

    private static func wrongKind(_ declaration: some DeclGroupSyntax, attribute: AttributeSyntax) -> Diagnostic {
        let name = declaration.asProtocol((any NamedDeclSyntax).self)?.name.text
        let message =
            if let name, declaration.is(ClassDeclSyntax.self) || declaration.is(ActorDeclSyntax.self) {
                "'@ObservableState' cannot be applied to \(declaration.introducer.text) type '\(name)'"
            } else {
                """
                '@ObservableState' can only be applied to a struct or an enum, not to \(declaration.kindAndName)
                """
            }
        return Diagnostic(
            attribute,
            "observableStateKind",
            message,
            fixIts: FixIt.removing(attribute, from: declaration.attributes)
        )
    }

    // MARK: Attributes of other libraries

    /// Attributes of other libraries with their equivalents in Lattice, or nil if no equivalent is needed.
    private static let foreignAttributes: KeyValuePairs<String, String?> = [
        "ObservationIgnored": "ObservationStateIgnored",
        "ObservationTracked": "ObservationStateTracked",
        "PresentationState": nil,
    ]

    private static func foreignAttributes(of variable: VariableDeclSyntax) -> [Diagnostic] {
        variable.attributes.plain.compactMap { attribute in
            guard let (name, replacement) = foreignAttributes.first(where: { attribute.hasName($0.key) }) else {
                return nil
            }
            return Diagnostic(
                attribute,
                "foreignAttribute",
                "'@\(name)' cannot be used in '@ObservableState'",
                fixIts: replacement.map { [renaming(attribute, to: $0)] }
                    ?? FixIt.removing(attribute, from: variable.attributes)
            )
        }
    }

    private static func renaming(_ attribute: AttributeSyntax, to name: String) -> FixIt {
        var type = TypeSyntax(IdentifierTypeSyntax(name: .identifier(name)))
        type.leadingTrivia = attribute.attributeName.leadingTrivia
        type.trailingTrivia = attribute.attributeName.trailingTrivia
        return FixIt("rename", "Replace with '@\(name)'", [.replacing(attribute.attributeName, with: type)])
    }

    // MARK: Several variables in one declaration

    private static func severalNames(of variable: VariableDeclSyntax) -> Diagnostic? {
        let isTuple = variable.bindings.contains { $0.pattern.is(TuplePatternSyntax.self) }
        let isTracked = variable.storedProperties.contains { $0.observation == .tracked }
        let isStored = variable.bindingSpecifier.tokenKind == .keyword(.var) && !variable.modifiers.areOfType
        guard variable.bindings.count > 1 && isTracked || isTuple && isStored else { return nil }
        return Diagnostic(
            variable.bindings,
            "severalNames",
            "'@ObservableState' observes one variable per declaration: declare each of these separately",
            fixIts: isTuple ? [] : [splitting(variable)]
        )
    }

    private static func splitting(_ variable: VariableDeclSyntax) -> FixIt {
        // A type annotation also applies to the preceding variables without one.
        var type: TypeAnnotationSyntax?
        let bindings = variable.bindings.reversed().map { binding -> PatternBindingSyntax in
            var binding = binding.with(\.trailingComma, nil)
            if let annotation = binding.typeAnnotation {
                type = annotation.trimmed
            } else if binding.initializer == nil {
                binding.typeAnnotation = type
            } else {
                type = nil
            }
            return binding
        }
        let single = bindings.reversed().enumerated().map { index, binding -> MemberBlockItemSyntax in
            var declaration = variable.with(\.bindings, [binding.trimmed])
            if index > 0 {
                declaration.leadingTrivia = .newline + variable.leadingTrivia.indentation
            }
            return MemberBlockItemSyntax(decl: declaration)
        }
        let item = variable.parent?.as(MemberBlockItemSyntax.self) ?? MemberBlockItemSyntax(decl: variable)
        let change = FixIt.Change.replacing(item, with: MemberBlockItemListSyntax(single))
        return FixIt("splitVariables", "Declare each variable by itself", [change])
    }
}
