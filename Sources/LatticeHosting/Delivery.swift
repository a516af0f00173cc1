import LatticeCoding
import LatticeConcurrency
package import LatticeCore
package import LatticeSession
import LatticeTransport
import LatticeWire

/// The result of one tick of the event loop for one channel: the outcomes of events, and the newest state as bytes.
/// Valid only during the delivery, on the event loop.
///
/// A channel uses one object for all deliveries. Creating a value of a type that is known only at run time looks up
/// that type each time, which took 4 % of the CPU of `lattice-bench session --only deliveries`.
package final class Delivery<State: Decodable & Sendable>: Sendable {
    private let tick: LoopBound<DeliveredTick>
    /// The newest state, or nil for states that do not travel as patches.
    private let latest: LatestState<State>?

    /// Creates an object for all deliveries of a channel.
    init(_ latest: LatestState<State>?, on eventLoop: any EventLoop) {
        self.latest = latest
        tick = LoopBound(DeliveredTick(), to: eventLoop.thread)
    }

    /// The outcomes of events and the changes of the channel. Call `decodeState()` first, because events fail if their
    /// state cannot be decoded.
    package var channelUpdate: ChannelUpdate { tick.value.channelUpdate }

    /// Begins a delivery.
    func begin(_ channelUpdate: ChannelUpdate, _ stateUpdate: StateUpdate, of channel: ChannelClient) {
        precondition(tick.value.channel == nil, "A channel makes one delivery at a time.")
        tick.value.channelUpdate = channelUpdate
        tick.value.update = stateUpdate
        tick.value.channel = channel
        tick.value.isDecoded = false
    }

    /// Ends a delivery and clears its contents.
    func end() {
        if !tick.value.channelUpdate.isEmpty { tick.value.channelUpdate = ChannelUpdate() }
        tick.value.update = StateUpdate()
        tick.value.channel = nil
    }

    /// A Boolean value that indicates whether a state arrived. Older states of the same tick are skipped.
    package var hasState: Bool { !tick.value.update.isEmpty }

    /// A Boolean value that indicates whether reducing what arrived may take long.
    package var isLarge: Bool { Self.bytes(of: tick.value.update) >= CodingThreads.largeBytes }

    /// The state that arrived, as observers of the runtime see it.
    package var stateUpdate: RuntimeEvent.StateUpdate {
        let update = tick.value.update
        return RuntimeEvent.StateUpdate(
            revision: tick.value.channel?.deliveredRevision ?? 0,
            bytes: Self.bytes(of: update),
            isPatch: update.snapshot == nil
        )
    }

    private static func bytes(of update: StateUpdate) -> Int {
        update.snapshot?.count ?? update.changes.reduce(0) { $0 + $1.count }
    }

    /// The changes that lead to the state, or nil if the state arrived as a whole.
    package var changes: [[UInt8]]? { tick.value.update.snapshot == nil ? tick.value.update.changes : nil }

    /// Completes the events without decoding the state, because the receiver of the states is gone.
    package func endEvents() {
        for ending in tick.value.channelUpdate.endings { ending.promise.ended(ending.outcome) }
    }

    /// Decodes the newest state. Must be called at most once for each delivery.
    ///
    /// - Returns: The state, or nil if no usable state arrived. If the state cannot be decoded, `channelUpdate` has the
    ///   problem and the failed events. If the changes cannot be applied, the whole state is requested, and the events
    ///   in it end when it has arrived.
    package func decodeState() -> State? {
        guard !tick.value.update.isEmpty, !tick.value.isDecoded, let channel = tick.value.channel else { return nil }
        tick.value.isDecoded = true
        do {
            if let latest { return try decodeState(of: channel, after: latest) }
            let state =
                // The observer is not passed here because it is not used. Passing it would count a reference.
                if let whole = tick.value.update.whole, whole.count <= CBORDecoder.smallBytes {
                    try CBORDecoder().decode(State.self, from: whole)
                } else {
                    try decodeLarge(of: channel)
                }
            channel.accept(&tick.value.channelUpdate)
            return state
        } catch is UnusableChanges {
            channel.resync(&tick.value.channelUpdate)
            return nil
        } catch {
            let failure = EffectFailure.stateNotDecodable(of: channel.subject.feature, error)
            channel.refuse(WireOutcome(.failed(failure)), failure.message, &tick.value.channelUpdate)
            return nil
        }
    }

    // These are separate functions, because the types that they need would otherwise be looked up for each delivery.

    /// Decodes the newest state if the receiver has not decoded it, because the next change applies to it.
    @inline(never)
    func keepState() {
        _ = decodeState()
    }

    /// Decodes a state that does not travel as patches and is large, or was decoded on another thread.
    @inline(never)
    private func decodeLarge(of channel: ChannelClient) throws -> State {
        if let decoded = tick.value.update.decoded { return try Self.state(decoded) }
        return try tick.value.update.newestState(of: nil, observer: channel.codingProgress)
    }

    /// Decodes a state that travels as patches.
    @inline(never)
    private func decodeState(of channel: ChannelClient, after latest: LatestState<State>) throws -> State {
        let observer = channel.codingProgress
        let state =
            if let decoded = tick.value.update.decoded {
                try Self.state(decoded)
            } else {
                try tick.value.update.newestState(of: latest, observer: observer)
            }
        if let bytes = tick.value.update.snapshot?.count {
            latest.patching.noteWhole(bytes: bytes, on: channel.eventLoop)
        }
        if channel.subject.restoresState {
            channel.accept(&tick.value.channelUpdate, encodedBy: latest.encoding(state, progress: observer))
        } else {
            channel.accept(&tick.value.channelUpdate)
        }
        return state
    }

    /// Returns the state that was decoded on another thread.
    @inline(never)
    private static func state(_ decoded: Result<any Sendable, any Error>) throws -> State {
        guard let state = try decoded.get() as? State else {
            preconditionFailure("A channel has one type of state.")
        }
        return state
    }
}

/// The update of the tick that is being delivered.
private struct DeliveredTick {
    var channelUpdate = ChannelUpdate()
    var update = StateUpdate()
    var isDecoded = false
    // Unowned, because the channel owns the delivery and outlives it.
    unowned(unsafe) var channel: ChannelClient?
}

extension StateUpdate {
    /// Decodes the newest state of the update.
    ///
    /// - Parameters:
    ///   - latest: The previous state, which is changed. Nil for states that do not travel as patches.
    ///   - observer: Observes the progress of the decoding.
    /// - Throws: The error of the decoding, or ``UnusableChanges``.
    func newestState<State: Decodable>(
        of latest: LatestState<State>?,
        observer: (any CodingObserver)? = nil
    ) throws -> State {
        if let latest { return try changedState(of: latest, observer: observer) }
        guard let snapshot else { throw UnusableChanges() }
        return try CBORDecoder(observer: observer).decode(State.self, from: snapshot)
    }

    /// Applies the update to the previous state. A separate function for the same reason as above.
    @inline(never)
    private func changedState<State: Decodable>(
        of latest: LatestState<State>,
        observer: (any CodingObserver)?
    ) throws -> State {
        if let snapshot {
            try latest.replace(by: snapshot) { try CBORDecoder(observer: observer).decode(State.self, from: $0) }
        }
        return try latest.apply(changes)
    }
}
