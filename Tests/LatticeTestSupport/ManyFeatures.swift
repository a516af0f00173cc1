package import LatticeCore

/// As many features as a test asks for.
package enum ManyFeatures {
    /// - Parameter first: Says how long all identifiers are.
    package static func list<Feature: NumberedFeature>(
        _ count: Int,
        from first: Feature.Type
    ) -> [any HostedFeature.Type] {
        count == 0 ? [] : [first] + list(count - 1, from: Next<Feature>.self)
    }

    /// Identifiers of 255 bytes.
    package enum Long: NumberedFeature {
        package static var number: Int { 1 }
        package static var identifierBytes: Int { 255 }
    }

    /// Identifiers of 4 bytes.
    package enum Short: NumberedFeature {
        package static var number: Int { 1 }
        package static var identifierBytes: Int { 4 }
    }

    private enum Next<Before: NumberedFeature>: NumberedFeature {
        static var number: Int { Before.number + 1 }
        static var identifierBytes: Int { Before.identifierBytes }
    }
}

package protocol NumberedFeature: HostedFeature
where
    Action == JournalFeature.Action,
    DomainState == JournalFeature.DomainState,
    ViewState == JournalFeature.ViewState,
    HostedInteractor == Interact<JournalFeature.DomainState, JournalFeature.Action>,
    HostedReducer == BuildViewState<JournalFeature.DomainState, JournalFeature.ViewState>
{
    static var number: Int { get }
    static var identifierBytes: Int { get }
}

extension NumberedFeature {
    package static var identifier: String {
        let number = String(number)
        return String(repeating: "x", count: identifierBytes - number.utf8.count) + number
    }

    package static func initialDomainState(in context: HostContext) -> DomainState {
        JournalFeature.initialDomainState(in: context)
    }
    package static func interactor(in context: HostContext) -> HostedInteractor {
        JournalFeature.interactor(in: context)
    }
    package static func reducer() -> HostedReducer { JournalFeature.reducer() }
}
