import LatticeCore
import LatticeSession
import LatticeWire

/// What a channel needs of the feature behind it, in bytes. On the reactor's thread only.
protocol FeatureRunning: AnyObject {
    var identifier: String { get }
    /// Called when a turn has settled, before the effects that it asked for may start.
    var onTurn: ((_ changed: Bool) -> Void)? { get set }

    /// Decodes an action and runs its turn.
    ///
    /// - Throws: `DecodingError` when the bytes are no action; nothing has happened then.
    func send(_ action: UnsafeRawBufferPointer, as event: EventID) throws -> EventTask

    /// Appends the encoded state.
    func encodeState(into bytes: inout [UInt8]) throws

    func startHeldEffects()

    /// Cancels what runs, for good.
    func close()
}

/// Runs one feature in a worker, with its types. Everything that does not need them is `FeatureChannel`.
final class FeatureRunner<Feature: HostedFeature>: FeatureRunning {
    private let runtime: FeatureRuntime<Feature.DomainState, Feature.Action>

    var identifier: String { Feature.identifier }

    var onTurn: ((_ changed: Bool) -> Void)? {
        get { runtime.onTurn }
        set { runtime.onTurn = newValue }
    }

    init(state: Feature.DomainState, isolation: ReactorActor) {
        runtime = FeatureRuntime(
            initialState: state,
            interactor: Feature.interactor(),
            isolation: isolation,
            effectStart: .held,
            looksAtSmall: false,
            areStatesEqual: { $0 == $1 }
        )
    }

    func send(_ action: UnsafeRawBufferPointer, as event: EventID) throws -> EventTask {
        runtime.send(try CBORDecoder().decode(Feature.Action.self, from: action), identity: event)
    }

    func encodeState(into bytes: inout [UInt8]) throws {
        try CBOREncoder().encode(runtime.state, into: &bytes)
    }

    func startHeldEffects() {
        runtime.startHeldEffects()
    }

    func close() {
        runtime.close()
    }
}
