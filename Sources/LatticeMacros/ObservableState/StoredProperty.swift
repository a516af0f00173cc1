import SwiftSyntax

/// A stored property of a struct that is to be observed.
struct StoredProperty {
    enum Observation {
        /// Has observers of its own.
        case tracked
        /// Has none: when it differs, the observers of the whole state hear. What cannot change by itself, and what a
        /// property wrapper or another macro stores somewhere else.
        case compared
        /// Marked as such, lazy, or not part of what the state is worth: nobody hears.
        case ignored
    }

    /// As it is written, with its backticks.
    let name: String
    let observation: Observation
    let isLazy: Bool
    /// A constant whose value stands in the declaration, so that all values of the type have the same.
    let isFixed: Bool

    /// The property under which the value of a tracked one is stored.
    var storageName: String { Self.storageName(of: name) }

    /// The name without backticks.
    var plainName: String { name.withoutBackticks }

    static func storageName(of name: String) -> String {
        "_" + name.withoutBackticks
    }
}

extension VariableDeclSyntax {
    /// What this declares, of what is stored in each value.
    var storedProperties: [StoredProperty] {
        guard !modifiers.areOfType else { return [] }
        return bindings.compactMap { binding in
            guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text, !binding.isComputed
            else { return nil }
            let isFixed = bindingSpecifier.tokenKind == .keyword(.let) && binding.initializer != nil
            return StoredProperty(name: name, observation: observation, isLazy: isLazy, isFixed: isFixed)
        }
    }

    /// Whether this declares one stored variable that may have observers.
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

    /// Whether a property wrapper or another macro has made this its own. Their names are capitalized, those of the
    /// compiler's attributes are not; global actors are capitalized too, and are called so.
    var isStoredElsewhere: Bool {
        attributes.plain.contains { attribute in
            guard let name = attribute.attributeName.lastName?.text else { return false }
            return name.first?.isUppercase == true && !name.hasSuffix("Actor") && !name.hasPrefix("ObservationState")
        }
    }
}

extension PatternBindingSyntax {
    /// Whether this has accessors other than `willSet` and `didSet`.
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
