import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@ViewStateReducer`: makes a type a view state reducer.
///
/// The initial view state needs no code of the macro's: the protocol forwards to `body`, which has one or takes the
/// default value. Where neither the type nor its body has one, a member is added that compiles only if there is a
/// default value.
enum ViewStateReducerMacro: ComposableMacro {
    static let conformance = ComposableProtocol.viewStateReducer

    static func additionalMembers(for source: ComposableDeclaration) -> [DeclSyntax] {
        let declaresOwn = conformance.others.contains(where: source.declares)
        let names: Set = ["BuildViewState", "buildViewState"]
        guard !declaresOwn, source.body?.isCall(ofOneOf: names, without: "initial") == true else { return [] }
        return [
            """
            private nonisolated static func _defaultViewStateIsThere() -> ViewState {
                Self._defaultViewState()
            }
            """
        ]
    }
}
