import LatticeCoding
import LatticeCore
package import LatticeSession
import LatticeWire

/// What one tick of the event loop brought for one channel: what ended and the newest state, as bytes. Valid only while
/// it is being delivered, on the event loop.
///
/// A channel has one for all that is delivered: to make a value of a type that is known only at run time has that type
/// looked up each time, which took 4 % of the CPU of `latticectl bench session --only deliveries`.
package final class Delivery<State: Decodable & Sendable>: @unchecked Sendable {
    // Unchecked: touched on the event loop only. Nor is exclusive access checked at run time, which took 2 % of the CPU
    // of the threads that get the states of `latticectl bench session --only deliveries`: nothing here is called from
    // within itself.

    /// What ended, and the rest. Events of a state that cannot be decoded fail when it is decoded, so decode it first.
    @exclusivity(unchecked) package private(set) var news = ChannelUpdate()
    @exclusivity(unchecked) private var update = StateUpdate()
    @exclusivity(unchecked) private var isDecoded = false
    // It has this, and it delivers.
    @exclusivity(unchecked) private unowned(unsafe) var channel: ChannelClient?
    /// Nil for states that do not travel as patches.
    private let latest: LatestState<State>?

    init(_ latest: LatestState<State>?) {
        self.latest = latest
    }

    func begin(_ news: ChannelUpdate, _ update: StateUpdate, of channel: ChannelClient) {
        precondition(self.channel == nil, "A channel delivers one thing after the other.")
        self.news = news
        self.update = update
        self.channel = channel
        isDecoded = false
    }

    /// What is kept beyond this has nothing.
    func end() {
        if !news.isEmpty { news = ChannelUpdate() }
        update = StateUpdate()
        channel = nil
    }

    /// Whether a state came; older ones of the same tick are left out.
    package var hasState: Bool { !update.isEmpty }

    /// The changes by which the state came; nil if it came as a whole.
    package var changes: [[UInt8]]? { update.snapshot == nil ? update.changes : nil }

    /// Nobody is there to show what came; the events end all the same.
    func endEvents() {
        for ending in news.endings { ending.ticket.ended(ending.outcome) }
    }

    /// The newest state, or nil if none came. One that cannot be decoded is none either: `news` says so, and that the
    /// events in it have failed. Nor is one that cannot be made out of its changes: it is asked for, and the events in
    /// it end when it has come. To be called once.
    package func decodeState() -> State? {
        guard !update.isEmpty, !isDecoded, let channel else { return nil }
        isDecoded = true
        do {
            if let latest { return try decodeState(of: channel, after: latest) }
            let state =
                // Without its observer, which is not asked: to pass that on counts a reference.
                if let whole = update.whole, whole.count <= CBORDecoder.smallBytes {
                    try CBORDecoder().decode(State.self, from: whole)
                } else {
                    try decodeLarge(of: channel)
                }
            channel.accept(&news)
            return state
        } catch is UnusableChanges {
            channel.resync(&news)
            return nil
        } catch {
            let failure = EffectFailure.stateNotDecodable(of: channel.subject.feature, error)
            channel.refuse(WireOutcome(.failed(failure)), failure.message, &news)
            return nil
        }
    }

    // Functions of their own: the types that they need would be looked up for each delivery.

    /// Decodes the newest state also if nobody has looked: what comes next is a change of it.
    @inline(never)
    func keepState() {
        _ = decodeState()
    }

    /// A state that does not travel as patches, and is large or was decoded elsewhere.
    @inline(never)
    private func decodeLarge(of channel: ChannelClient) throws -> State {
        if let decoded = update.decoded { return try Self.state(decoded) }
        return try update.newestState(of: nil, observer: channel.codingProgress)
    }

    /// A state that travels as patches.
    @inline(never)
    private func decodeState(of channel: ChannelClient, after latest: LatestState<State>) throws -> State {
        let observer = channel.codingProgress
        let state =
            if let decoded = update.decoded {
                try Self.state(decoded)
            } else {
                try update.newestState(of: latest, observer: observer)
            }
        if let bytes = update.snapshot?.count { latest.patching.noteWhole(bytes: bytes, on: channel.eventLoop) }
        if channel.subject.restoresState {
            channel.accept(&news, encodedBy: latest.encoding(state, progress: observer))
        } else {
            channel.accept(&news)
        }
        return state
    }

    /// What was decoded on another thread.
    @inline(never)
    private static func state(_ decoded: Result<any Sendable, any Error>) throws -> State {
        guard let state = try decoded.get() as? State else {
            preconditionFailure("A channel has one type of state.")
        }
        return state
    }
}

extension StateUpdate {
    /// Decodes the state that it leads to.
    ///
    /// - Parameter latest: The state before it, which is changed; nil for states that do not travel as patches.
    /// - Throws: What the decoding throws; ``UnusableChanges``.
    func newestState<State: Decodable>(
        of latest: LatestState<State>?,
        observer: (any CodingObserver)? = nil
    ) throws -> State {
        if let latest { return try changedState(of: latest, observer: observer) }
        guard let snapshot else { throw UnusableChanges() }
        return try CBORDecoder(observer: observer).decode(State.self, from: snapshot)
    }

    /// As above, a function of its own.
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
