import SwiftSyntax

/// A protocol whose conforming types compose other conforming types in a `body`, with the facts that its macro needs.
struct ComposableProtocol: Sendable {
    /// The name of the protocol and of its macro.
    let name: String
    /// The names of the two associated types to which the macro's generic arguments belong.
    let types: [String]
    /// The name of the type alias for the protocol with the associated types of another conforming type.
    let ofSelf: String
    /// The name of the result builder of `body`.
    let builder: String
    /// The method that a type without a `body` implements.
    let work: Requirement
    /// Further methods that a type may implement in addition to its `body`.
    var others: [Requirement] = []
    /// The noun for a conforming type in messages.
    let noun: String

    /// A method that the protocol requires.
    struct Requirement: Sendable {
        let name: String
        let labels: [String]
        /// The declaration after the access level, without a body.
        let signature: String

        /// The name in messages, such as `interact(state:action:)`.
        var description: String { "\(name)(\(labels.map { "\($0):" }.joined()))" }

        /// Returns whether a function declares the method. The compiler compares the types.
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
