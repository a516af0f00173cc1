import SwiftSyntax

/// A stored property of a struct that is observed.
struct StoredProperty {
    enum Observation {
        /// The property has its own observers.
        case tracked
        /// The property has no observers of its own. If its value differs, the observers of the whole state are
        /// notified. This applies to constants, and to variables that a property wrapper or another macro stores
        /// elsewhere.
        case compared
        /// The property is marked as ignored, lazy, or not part of the state's value. No observers are notified.
        case ignored
    }

    /// The name as it is written, including backticks.
    let name: String
    let observation: Observation
    let isLazy: Bool
    /// A Boolean value that indicates whether this is a constant with a value in its declaration, so that it is the
    /// same in all values of the type.
    let isFixed: Bool

    /// The name of the property that stores the value of a tracked one.
    var storageName: String { Self.storageName(of: name) }

    /// The name without backticks.
    var plainName: String { name.withoutBackticks }

    static func storageName(of name: String) -> String {
        "_" + name.withoutBackticks
    }
}

extension VariableDeclSyntax {
    /// The stored instance properties that this declaration declares.
    var storedProperties: [StoredProperty] {
        guard !modifiers.areOfType else { return [] }
        return bindings.compactMap { binding in
            guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text, !binding.isComputed
            else { return nil }
            let isFixed = bindingSpecifier.tokenKind == .keyword(.let) && binding.initializer != nil
            return StoredProperty(name: name, observation: observation, isLazy: isLazy, isFixed: isFixed)
        }
    }

    /// A Boolean value that indicates whether this declares exactly one stored variable that may have observers.
    var isTrackable: Bool {
        let properties = storedProperties
        return properties.count == 1 && bindings.count == 1 && properties[0].observation == .tracked
    }

    private var observation: StoredProperty.Observation {
        if isLazy || attributes.has("ObservationStateIgnored") || attributes.has("WorkerLocal") { return .ignored }
        if bindingSpecifier.tokenKind == .keyword(.let) { return .compared }
        return isStoredElsewhere && !attributes.has("ObservationStateTracked") ? .compared : .tracked
    }

    private var isLazy: Bool {
        modifiers.contains { $0.name.tokenKind == .keyword(.lazy) }
    }

    /// A Boolean value that indicates whether a property wrapper or another macro stores the variable. Their names are
    /// capitalized, and those of the compiler's attributes are not. Global actors are capitalized too, and their names
    /// end with "Actor".
    var isStoredElsewhere: Bool {
        attributes.plain.contains { attribute in
            guard let name = attribute.attributeName.lastName?.text else { return false }
            return name.first?.isUppercase == true && !name.hasSuffix("Actor") && !name.hasPrefix("ObservationState")
        }
    }
}

extension PatternBindingSyntax {
    /// A Boolean value that indicates whether there are accessors other than `willSet` and `didSet`.
    fileprivate var isComputed: Bool {
        switch accessorBlock?.accessors {
        case nil: false
        case .getter: true
        case .accessors(let accessors):
            !accessors.allSatisfy {
                [.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind)
            }
        }
    }
}
