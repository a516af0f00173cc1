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
        guard declaresOwn, !source.declares(buildViewState) else { return [] }
        return [
            """
            private static func buildViewState(
                reducerBlock: @escaping @Sendable (DomainState, inout ViewState) -> Void
            ) -> Lattice.BuildViewState<DomainState, ViewState> {
                _buildViewState(reducingOnly: reducerBlock)
            }
            """
        ]
    }

    private static let buildViewState = ComposableProtocol.Requirement(
        name: "buildViewState",
        labels: ["reducerBlock"],
        signature: ""
    )
}
