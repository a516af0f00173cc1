import SwiftSyntax

/// A protocol whose conforming types compose others of it in a `body`, as its macro needs to know it.
struct ComposableProtocol: Sendable {
    /// The name of the protocol and of its macro.
    let name: String
    /// The two associated types that the macro's generic arguments are for.
    let types: [String]
    /// The type alias that stands for the protocol with the types of another conforming type.
    let ofSelf: String
    /// The result builder of `body`.
    let builder: String
    /// What a type without a `body` implements.
    let work: Requirement
    /// What else a type may implement besides its `body`.
    var others: [Requirement] = []
    /// What a conforming type is called in messages.
    let noun: String

    /// A method that the protocol requires.
    struct Requirement: Sendable {
        let name: String
        let labels: [String]
        /// The declaration after the access level, without a body.
        let signature: String

        /// As messages name it: `interact(state:action:)`.
        var description: String { "\(name)(\(labels.map { "\($0):" }.joined()))" }

        /// Whether this is the declaration of the method; its types are the compiler's to compare.
        func isDeclared(by function: FunctionDeclSyntax) -> Bool {
            function.name.text == name
                && function.signature.parameterClause.parameters.map(\.firstName.text) == labels
        }
    }

    static let interactor = ComposableProtocol(
        name: "Interactor",
        types: ["DomainState", "Action"],
        ofSelf: "InteractorOf",
        builder: "InteractorBuilder",
        work: Requirement(
            name: "interact",
            labels: ["state", "action"],
            signature: "func interact(state: inout DomainState, action: Action) -> Emission<Action>"
        ),
        noun: "an interactor"
    )

    static let viewStateReducer = ComposableProtocol(
        name: "ViewStateReducer",
        types: ["DomainState", "ViewState"],
        ofSelf: "ViewStateReducerOf",
        builder: "ViewStateReducerBuilder",
        work: Requirement(
            name: "reduce",
            labels: ["_", "into"],
            signature: "func reduce(_ domainState: DomainState, into viewState: inout ViewState)"
        ),
        others: [
            Requirement(
                name: "initialViewState",
                labels: ["for"],
                signature: "func initialViewState(for domainState: DomainState) -> ViewState"
            )
        ],
        noun: "a view state reducer"
    )
}
