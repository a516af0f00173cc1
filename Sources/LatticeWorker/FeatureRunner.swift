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
    /// - Parameter event: Handed over, which saves a reference count for each event.
    /// - Throws: `DecodingError` when the bytes are no action; nothing has happened then.
    func send(_ action: UnsafeRawBufferPointer, as event: consuming EventID) throws -> EventTask

    /// Appends the encoded state.
    func encodeState(into bytes: inout [UInt8]) throws

    /// How many effects were asked for and have not started.
    var heldEffects: Int { get }

    /// Starts the oldest of them.
    func startHeldEffects(_ count: Int)

    /// Says that the present state was encoded: `rollBack` never goes behind it.
    func secure()

    /// Goes back to an encoded state; see `FeatureRuntime.rollBack(to:failing:)`.
    ///
    /// - Throws: `DecodingError` when the bytes are no state; nothing has happened then.
    func rollBack(to state: [UInt8], failing failure: EffectFailure) throws -> Bool

    /// Cancels what runs, for good.
    func close()
}

/// Runs one feature in a worker, with its types. Everything that does not need them is `FeatureChannel`.
final class FeatureRunner<Feature: HostedFeature>: FeatureRunning {
    private let runtime: FeatureRuntime<Feature.DomainState, Feature.Action>
    private let encoder: CBOREncoder
    private let decoder: CBORDecoder

    var identifier: String { Feature.identifier }

    var onTurn: ((_ changed: Bool) -> Void)? {
        get { runtime.onTurn }
        set { runtime.onTurn = newValue }
    }

    init(state: Feature.DomainState, isolation: EventLoopActor) {
        encoder = CBOREncoder(observer: isolation.codingProgress)
        decoder = CBORDecoder(observer: isolation.codingProgress)
        runtime = FeatureRuntime(
            initialState: state,
            interactor: Feature.interactor(),
            isolation: isolation,
            effectStart: .held,
            looksAtSmall: false,
            areStatesEqual: { $0 == $1 }
        )
    }

    func send(_ action: UnsafeRawBufferPointer, as event: consuming EventID) throws -> EventTask {
        runtime.send(try decoder.decode(Feature.Action.self, from: action), identity: event)
    }

    func encodeState(into bytes: inout [UInt8]) throws {
        try encoder.encode(runtime.state, into: &bytes)
    }

    var heldEffects: Int { runtime.heldEffects }

    func startHeldEffects(_ count: Int) {
        runtime.startHeldEffects(count)
    }

    func secure() {
        runtime.secure()
    }

    func rollBack(to state: [UInt8], failing failure: EffectFailure) throws -> Bool {
        runtime.rollBack(to: try decoder.decode(Feature.DomainState.self, from: state), failing: failure)
    }

    func close() {
        runtime.close()
    }
}
