import Glibc
import LatticeCore

/// A feature that logs the applied events in order. From this state, `latticectl chaos` detects events that were lost,
/// doubled or reordered.
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

    /// Creates an effect that sends one more action after a short time. After an interruption, it is started again in a
    /// later incarnation.
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

    /// Computes for a short time, even if it is cancelled.
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

/// The difference between one ``ChaosFeature`` and another.
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
    /// The effect that an event starts.
    enum Effect: UInt8, Codable, Sendable {
        case none
        /// Sends one more action and ends.
        case followUp
        /// Ends only when it is cancelled or its worker ends.
        case forever
        /// Ends the worker.
        case exit
        /// Computes for a short time.
        case spin
        /// The event's turn ends the worker.
        case poison
        /// The event's turn ends the worker in every second incarnation.
        case sometimesPoison
        /// Sends one more action. The effect has a name, by which it is started again when its worker dies.
        case recovered
    }

    /// An event and its effect.
    case event(ChaosEvent, Effect)
    /// Starts the effects of these events again.
    case recover([ChaosEvent.Identifier])
}

struct ChaosState: Patchable, Sendable {
    /// The events by their places.
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
