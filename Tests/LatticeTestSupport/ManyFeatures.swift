package import LatticeCore

/// Lists of any number of distinct features.
package enum ManyFeatures {
    /// Returns `count` features with different identifiers.
    ///
    /// - Parameter first: The first feature, which determines the length of all identifiers.
    package static func list<Feature: NumberedFeature>(
        _ count: Int,
        from first: Feature.Type
    ) -> [any HostedFeature.Type] {
        count == 0 ? [] : [first] + list(count - 1, from: Next<Feature>.self)
    }

    /// The first feature of a list with identifiers of 255 bytes.
    package enum Long: NumberedFeature {
        package static var number: Int { 1 }
        package static var identifierBytes: Int { 255 }
    }

    /// The first feature of a list with identifiers of 4 bytes.
    package enum Short: NumberedFeature {
        package static var number: Int { 1 }
        package static var identifierBytes: Int { 4 }
    }

    private enum Next<Before: NumberedFeature>: NumberedFeature {
        static var number: Int { Before.number + 1 }
        static var identifierBytes: Int { Before.identifierBytes }
    }
}

/// A feature that works like ``JournalFeature`` and has a number in its identifier.
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
