import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@ObservationStateTracked` stores a property under another name and registers its readers.
enum ObservationStateTrackedMacro {}

extension ObservationStateTrackedMacro: AccessorMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        guard let variable = declaration.as(VariableDeclSyntax.self), variable.isTrackable else { return [] }
        let property = variable.storedProperties[0]
        let storage = property.storageName
        return [
            """
            @storageRestrictions(initializes: \(raw: storage))
            init(initialValue) {
                \(raw: storage) = initialValue
            }
            """,
            """
            get {
                _$observationRegistrar.access(self, keyPath: \\.\(raw: property.name))
                return \(raw: storage)
            }
            """,
            """
            set {
                \(raw: storage) = newValue
            }
            """,
            """
            _modify {
                yield &\(raw: storage)
            }
            """,
        ]
    }
}

extension ObservationStateTrackedMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let variable = declaration.as(VariableDeclSyntax.self), variable.isTrackable else { return [] }
        return [DeclSyntax(variable.storage)]
    }
}

extension VariableDeclSyntax {
    /// The variable that stores the value, with the type, the initial value and the observers of this one.
    fileprivate var storage: VariableDeclSyntax {
        let ignored = AttributeSyntax(
            attributeName: TypeSyntax("Lattice.ObservationStateIgnored"),
            trailingTrivia: .space
        )
        let kept = attributes.filter { element in
            guard case .attribute(let attribute) = element else { return true }
            return !attribute.hasName("ObservationStateTracked")
        }
        let keptModifiers = modifiers.filter { $0.accessLevel == nil }.map { $0.trimmed.with(\.trailingTrivia, .space) }
        var storage = trimmed
        storage.attributes = [.attribute(ignored)] + kept.map { $0.trimmed.with(\.trailingTrivia, .space) }
        storage.modifiers = [DeclModifierSyntax(name: .keyword(.private), trailingTrivia: .space)] + keptModifiers
        storage.bindingSpecifier = bindingSpecifier.trimmed.with(\.trailingTrivia, .space)
        storage.bindings = PatternBindingListSyntax(
            bindings.map { binding in
                guard let pattern = binding.pattern.as(IdentifierPatternSyntax.self) else { return binding }
                let variable = pattern.identifier.text
                let storage = StoredProperty.storageName(of: variable)
                let name = TokenSyntax.identifier(storage).with(\.trailingTrivia, pattern.identifier.trailingTrivia)
                let observers = binding.accessorBlock.map {
                    StoredObservers.rewrite($0, of: variable.withoutBackticks, to: storage)
                }
                return
                    binding
                    .with(\.pattern, PatternSyntax(pattern.with(\.identifier, name)))
                    .with(\.accessorBlock, observers)
            }
        )
        return storage
    }
}

/// `@ObservationStateIgnored` is a marker for `@ObservableState`.
enum ObservationStateIgnoredMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        []
    }
}
