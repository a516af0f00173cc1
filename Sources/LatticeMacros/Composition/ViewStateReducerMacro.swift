import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@ViewStateReducer`: makes a type a view state reducer.
///
/// The initial view state needs no code of the macro's, except in one case: the protocol forwards to `body`, which has
/// one or takes the default value. A type that implements `initialViewState(for:)` may leave both out.
enum ViewStateReducerMacro: ComposableMacro {
    static let conformance = ComposableProtocol.viewStateReducer

    static func additionalMembers(for source: ComposableDeclaration) -> [DeclSyntax] {
        let declaresOwn = conformance.others.contains(where: source.declares)
        guard declaresOwn else { return [] }
        var members: [DeclSyntax] = []
        if !source.declares(buildViewState) { members.append(reducingOnly("static func buildViewState")) }
        // Takes the place of the type inside of this one, so it is there only for who needs it.
        if let body = source.body, body.calls("BuildViewState", without: "initial") {
            members.append(reducingOnly("func BuildViewState"))
        }
        return members
    }

    /// Makes what only reduces, in place of what wants an initial view state too.
    private static func reducingOnly(_ function: String) -> DeclSyntax {
        """
        private nonisolated \(raw: function)(
            reducerBlock: @escaping @Sendable (DomainState, inout ViewState) -> Void
        ) -> Lattice.BuildViewState<DomainState, ViewState> {
            Self._buildViewState(reducingOnly: reducerBlock)
        }
        """
    }

    private static let buildViewState = ComposableProtocol.Requirement(
        name: "buildViewState",
        labels: ["reducerBlock"],
        signature: ""
    )
}
