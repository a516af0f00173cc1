import Glibc
import LatticeCore

/// Writes down which events were applied, in their order: the state from which `latticectl chaos` sees what was lost,
/// doubled or moved.
enum ChaosFeature<Name: ChaosName>: HostedFeature {
    static var identifier: String { Name.name }

    static func initialDomainState(in context: HostContext) -> ChaosState { ChaosState() }

    static func interactor(in context: HostContext) -> Interact<ChaosState, ChaosAction> {
        Interact { state, action in
            let (event, effect): (ChaosEvent, ChaosAction.Effect)
            switch action {
            case .event(let sent, let asked): (event, effect) = (sent, asked)
            case .recover(let events): return .merge(events.map(recovered))
            }
            switch effect {
            case .poison: abort()
            case .sometimesPoison where !context.incarnation.isMultiple(of: 2): abort()
            default: break
            }
            state.log[state.log.count] = event
            let followUp = ChaosAction.event(event.followUp, .none)
            switch effect {
            case .none, .poison, .sometimesPoison: return .none
            case .spin: return .perform { Self.spin() }
            case .followUp: return .perform { followUp }
            case .forever:
                return .perform {
                    try await Task.sleep(for: .seconds(86_400))
                    return followUp
                }
            case .exit: return .perform { exit(3) }
            case .recovered: return recovered(event.identifier)
            }
        }
    }

    /// Sends one more action after a moment, in a later life if it is interrupted.
    private static func recovered(_ event: ChaosEvent.Identifier) -> Emission<ChaosAction> {
        .perform {
            try await Task.sleep(for: .milliseconds(event.number % 20))
            return .event(ChaosEvent(sender: event.sender, number: event.number).followUp, .none)
        }
        .named("\(event)", whenInterrupted: .recover(atMost: 1000))
    }

    static func recovery(from interruption: Interruption, in state: ChaosState) -> ChaosAction? {
        let events = interruption.effects.compactMap { ChaosEvent.Identifier($0.name) }
        return events.isEmpty ? nil : .recover(events)
    }

    /// Computes for a moment, whoever cancels it.
    private static func spin() -> ChaosAction? {
        let end = ContinuousClock.now + .milliseconds(20)
        while ContinuousClock.now < end {}
        return nil
    }

    static func reducer() -> BuildViewState<ChaosState, ChaosState> {
        BuildViewState(initial: { _ in ChaosState() }) { state, shown in
            shown.log.update(from: state.log) { _, event, row in row = event }
        }
    }
}

/// What one ``ChaosFeature`` differs in from another.
protocol ChaosName: Sendable {
    static var name: String { get }
}

enum FirstChaos: ChaosName {
    static let name = "chaos-first"
}

enum SecondChaos: ChaosName {
    static let name = "chaos-second"
}

enum ChaosAction: Codable, Sendable {
    /// What an event starts.
    enum Effect: UInt8, Codable, Sendable {
        case none
        /// Sends one more action, and ends.
        case followUp
        /// Ends only when it is cancelled, or with its worker.
        case forever
        /// Ends the worker.
        case exit
        /// Computes for a moment.
        case spin
        /// Its turn ends the worker.
        case poison
        /// The same in each second life.
        case sometimesPoison
        /// Sends one more action, and has a name by which it is started again when its worker dies.
        case recovered
    }

    case event(ChaosEvent, Effect)
    /// Starts the effects of these events again.
    case recover([ChaosEvent.Identifier])
}

struct ChaosState: Patchable, Sendable {
    /// By their places.
    var log: StateDictionary<Int, ChaosEvent> = [:]

    func encodePatch(from old: Self, to patch: inout PatchEncoder) throws {
        try patch.field("log", from: old.log, to: log)
    }

    mutating func apply(_ patch: inout PatchDecoder) throws {
        try patch.fields { name, patch in
            guard name == "log" else { throw patch.unknownField(name) }
            try patch.apply(to: &log)
        }
    }
}
