import SwiftSyntaxMacros

/// `@Interactor`: makes a type an interactor.
enum InteractorMacro: ComposableMacro {
    static let conformance = ComposableProtocol.interactor
}
