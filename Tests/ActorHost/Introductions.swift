import LatticeActors
import LatticeCore

/// A feature whose actions and states contain references to actors.
enum Introductions: HostedFeature {
    enum Action: Codable, Sendable {
        /// Asks an actor to double a number.
        case meet(Subject, number: Int)
        /// Receives the actor's answer.
        case answered(Int)
    }

    struct DomainState: Codable, Equatable, Sendable {
        var last: Subject?
        var answer = 0
    }

    static let identifier = "introductions"
    static func initialDomainState(in context: HostContext) -> DomainState { DomainState() }

    static func interactor(in context: HostContext) -> Interact<DomainState, Action> {
        Interact { state, action in
            switch action {
            case .meet(let subject, let number):
                state.last = subject
                return .perform { .answered(try await subject.double(number)) }
            case .answered(let answer): state.answer = answer
            }
            return .none
        }
    }

    static func reducer() -> BuildViewState<DomainState, DomainState> {
        BuildViewState(initial: { $0 }) { state, view in view = state }
    }
}
