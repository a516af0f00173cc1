import Lattice

/// The feature of OutcomesAndRecovery.md that starts effects again by their names.
enum Conversion: HostedFeature {
    enum Action: Codable, Equatable, Sendable {
        case convert(String)
        case convertAgain([String])
        case converted(String)
    }

    struct DomainState: Codable, Equatable, Sendable {
        var converted: [String] = []
    }

    static let identifier = "conversion"
    static func initialDomainState(in context: HostContext) -> DomainState { DomainState() }

    static func interactor(in context: HostContext) -> Interact<DomainState, Action> {
        Interact { state, action in
            switch action {
            case .convert(let file): return convert(file)
            case .convertAgain(let files): return .append(files.map(convert))
            case .converted(let file):
                state.converted.append(file)
                return .none
            }
        }
    }

    static func convert(_ file: String) -> Emission<Action> {
        return .run { send in try await convert(file, send) }
            .named(file, whenInterrupted: .recover(atMost: 2))
    }

    @concurrent private static func convert(_ file: String, _ send: Send<Action>) async throws {
        await send(.converted(file))
    }

    static func reducer() -> BuildViewState<DomainState, [String]> {
        BuildViewState(initial: { _ in [] }) { state, converted in converted = state.converted }
    }

    static func recovery(from interruption: Interruption, in state: DomainState) -> Action? {
        let names = interruption.effects.map(\.name)
        return names.isEmpty ? nil : .convertAgain(names)
    }
}
