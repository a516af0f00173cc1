import LatticeConcurrency
package import LatticeTransport
package import LatticeWire

/// The opening end of a channel: it sends events and receives states and outcomes, all as bytes.
///
/// Events may be sent from any thread. They are sent in the order of their numbers. Received messages are collected
/// during a tick of the event loop and delivered once at the end of the tick. Of several states in one tick, only the
/// newest is therefore processed.
///
/// The channel outlives the session. When a session ends, the next one opens the channel again. ``ChannelClientState``
/// makes all decisions.
package final class ChannelClient: SessionChannel, TickObserver, Sendable {
    /// The feature and instance that a channel opens.
    package struct Subject: Sendable {
        /// The identifier of the feature.
        package let feature: String
        /// The schema version of the feature.
        package let schema: Int
        /// The key of the instance.
        package let instance: String
        /// A Boolean value that indicates whether the peer starts from the state of this side, as a new worker does.
        package let restoresState: Bool
        /// The encoded configuration of the feature. Nil if the feature uses its default configuration.
        package let configuration: [UInt8]?

        /// Creates a subject from its parts.
        package init(
            feature: String,
            schema: Int,
            instance: String,
            restoresState: Bool,
            configuration: [UInt8]? = nil
        ) {
            self.feature = feature
            self.schema = schema
            self.instance = instance
            self.restoresState = restoresState
            self.configuration = configuration
        }
    }

    /// A closure that receives everything that one tick brought: the update of the channel and the update of the state.
    /// Its arguments are valid only during the call.
    package typealias Deliver = @Sendable (ChannelClient, ChannelUpdate, StateUpdate) -> Void

    /// A closure that decodes an update. It is called on any thread, one call at a time. Nothing is delivered during
    /// the call.
    package typealias Decode = @Sendable (StateUpdate) throws -> any Sendable

    /// The newest state that was decoded successfully.
    struct Accepted {
        /// The state itself, if the next server must start from it.
        let state: KeptState?
        var revision: UInt64
        /// The highest event that is contained in the state.
        var acknowledged: UInt64
    }

    struct Core {
        var state: ChannelClientState<any EventPromise>
        var session: Session?
        /// The peer of the session.
        var peer: Handshake.Peer?
        /// The origins that the peer knows in the present session.
        var origins: OriginIndex
        /// The number of readers of the events that the peer applies.
        var readers = 0
        /// Called at the end of each tick that brought something while events are retried one at a time. Otherwise nil.
        var proceed: (@Sendable () -> Void)?
    }

    /// The size of unacknowledged actions in bytes above which the channel asks the session for room.
    private static let freeBytes = 1 << 20

    /// The maximum number of unacknowledged events up to which the sending thread writes an event itself, which has the
    /// lowest latency. With more events, the event loop writes them.
    private static let directEvents = 8

    /// The number of the channel in each session.
    package let number: UInt32
    /// The feature and instance that the channel opens.
    package let subject: Subject
    /// The event loop of the channel.
    package let eventLoop: any EventLoop
    /// The progress of long encodings and decodings on the channel.
    package let codingProgress: CodingProgress
    let limits: ChannelLimits
    let core: Locked<Core>
    let takesPatches: Bool
    let deliversEveryState: Bool
    let decode: Decode?
    let deliver: Deliver
    /// Receives the causes of a state before the state, or nil if the peer is not asked for them. Called on the event
    /// loop.
    let receiveCauses: (@Sendable (CausesMessage) -> Void)?

    /// What belongs to the event loop.
    struct LoopState {
        var gathered = ChannelUpdate()
        var gatheredState = GatheredState()
        var isGathering = false
        /// Whether a large update is being decoded on another thread. Messages that arrive meanwhile are collected.
        var isDecoding = false
        /// Whether the state is being encoded that the peer will start from.
        var isPreparing = false
        /// The encoded state that the peer will start from, or the error that its encoding threw.
        var prepared: KeptState?
        /// Called when the preparations for opening the channel have finished.
        var onReady: (() -> Void)?
        /// The state that is being delivered, if it arrived as a whole and no changes followed.
        var delivered: [UInt8]?
        /// The revision of the newest state that was delivered.
        var deliveredRevision: UInt64 = 0
        var accepted: Accepted?
        /// Whether a state newer than `accepted` could not be decoded.
        var hasProblem = false
        /// Outcomes whose state could not be built from its changes. They are delivered when the whole state has
        /// arrived.
        var withheld: [ChannelUpdate.Ending]?
    }

    let loopState: LoopBound<LoopState>
    /// The revision of the newest state that was delivered. Read it on the event loop.
    package var deliveredRevision: UInt64 { loopState.value.deliveredRevision }

    /// Creates a channel.
    ///
    /// - Parameters:
    ///   - number: The number of the channel in each session.
    ///   - subject: The feature and instance to open.
    ///   - eventLoop: The event loop of the channel.
    ///   - limits: The limits on what the channel keeps in memory.
    ///   - initialState: The encoded state that the peer starts from if the subject restores states. Nil if the feature
    ///     provides its initial state.
    ///   - takesPatches: Whether changes of a state may be delivered instead of the state.
    ///   - deliversEveryState: Whether each received state is delivered separately instead of only the newest one of a
    ///     tick. For callers that count or record states.
    ///   - receiveCauses: Receives the causes of a state before the state, on the event loop. Nil if the peer is not
    ///     asked for them.
    ///   - decode: Decodes updates that are too large for the event loop. Nil if `deliver` decodes all updates.
    ///   - deliver: Receives everything that arrives. Called on the event loop.
    package init(
        number: UInt32,
        subject: Subject,
        eventLoop: any EventLoop,
        limits: ChannelLimits = ChannelLimits(),
        initialState: [UInt8]? = nil,
        takesPatches: Bool = false,
        deliversEveryState: Bool = false,
        receiveCauses: (@Sendable (CausesMessage) -> Void)? = nil,
        decode: Decode? = nil,
        deliver: @escaping Deliver
    ) {
        self.number = number
        self.subject = subject
        self.eventLoop = eventLoop
        codingProgress = CodingProgress(eventLoop)
        self.takesPatches = takesPatches
        self.deliversEveryState = deliversEveryState
        self.decode = decode
        self.deliver = deliver
        self.receiveCauses = receiveCauses
        self.limits = limits
        var state = ChannelClientState<any EventPromise>(limits: limits)
        state.kept = initialState.map(KeptState.init)
        let accepted = initialState.map { Accepted(state: KeptState($0), revision: 0, acknowledged: 0) }
        loopState = LoopBound(LoopState(accepted: accepted), to: eventLoop.thread)
        core = Locked(Core(state: state, origins: OriginIndex(limit: limits.maximumOrigins)))
    }

    /// A Boolean value that indicates whether some event has not ended. You can read it on any thread.
    package var hasEvents: Bool { core.withLock(\.state.hasEvents) }

    /// The number of events that have no outcome. You can read it on any thread.
    ///
    /// - Complexity: O(*n*), where *n* is the number of these events.
    package var eventCount: Int { core.withLock(\.state.eventCount) }

    /// The revision of the newest state that has arrived, or 0 before the first one. You can read it on any thread.
    package var revision: UInt64 { core.withLock(\.state.revision) }

    /// The number of bytes that the state for the next server takes with its changes. Nil if no state is kept, or if it
    /// is encoded when it is needed. You can read it on any thread.
    package var stateBytes: Int? { core.withLock { $0.state.kept?.byteCount } }

    /// The highest event that is acknowledged. All earlier events are acknowledged, too. You can read it on any thread.
    package var acknowledged: UInt64 { core.withLock(\.state.acknowledged) }

    // MARK: Sending

    /// Sends an encoded action. You can call it on any thread.
    ///
    /// - Parameters:
    ///   - action: The encoded action.
    ///   - name: The name of the event if this side forwards it for another sender, otherwise nil.
    ///   - metadata: The metadata that travels with the event. The caller must call `expire(event:)` at the deadline.
    ///   - makePromise: Makes the promise that is completed when the event ends. It is called with the event's number,
    ///     under the channel's lock. The channel keeps the promise until the event has ended.
    /// - Returns: The number of the event. Nil if the event was rejected immediately, in which case its promise is
    ///   already completed.
    package func send(
        _ action: [UInt8],
        as name: EventName? = nil,
        metadata: EventMetadata = .none,
        makePromise: (UInt64) -> any EventPromise
    ) -> UInt64? {
        let (sending, session, areMany) = core.withLock { core in
            let sending = send(action, name, metadata, makePromise(core.state.nextEvent), &core)
            return (sending, core.session, core.state.unacknowledged > Self.directEvents)
        }
        switch sending {
        case .transmit(let event):
            if areMany { session?.flushOnEventLoop() } else { session?.flushSoon() }
            return event
        case .wait(let event):
            return event
        case .reject(let outcome, let promise):
            promise.ended(outcome)
            return nil
        }
    }

    private func send(
        _ action: [UInt8],
        _ name: EventName?,
        _ metadata: EventMetadata,
        _ promise: consuming any EventPromise,
        _ core: inout Core
    ) -> ChannelClientState<any EventPromise>.Sending {
        // An action above the maximum size is rejected by `state` with a more precise reason.
        if core.state.unreadBytes + action.count > Self.freeBytes,
            action.count <= FrameLimits.maximumPayload, let session = core.session,
            !session.hasRoom(for: action.count)
        {
            let reason = "The write queue of this connection is full. Wait for some events to end."
            return .reject(.rejected(code: .overloaded, reason: reason), promise)
        }
        let sending = core.state.send(action, as: name, metadata: metadata, promise: promise)
        if case .transmit(let event) = sending {
            // Appending inside the lock keeps the events in the order of their numbers. The socket is written outside
            // the lock.
            if metadata.isNone {
                appendPlain(event, action, name, &core)
            } else {
                core.session?.append { queue in
                    queue.addEvent(message(event, action, name, metadata, &core, &queue), on: number)
                }
            }
        }
        return sending
    }

    /// Adds an event without metadata to the session's queue.
    private func appendPlain(_ event: UInt64, _ action: [UInt8], _ name: EventName?, _ core: inout Core) {
        guard let name else {
            core.session?.append(event: event, action: action, on: number)
            return
        }
        core.session?.append { queue in
            queue.addEvent(event, action: action, of: introduce(name, of: event, &core, &queue), on: number)
        }
    }

    /// Returns the message of an event that is sent now. Introduces the event's origin to the peer first if the peer
    /// does not know it.
    func message(
        _ event: UInt64,
        _ action: [UInt8],
        _ name: EventName?,
        _ metadata: EventMetadata,
        _ core: inout Core,
        _ queue: inout WriteQueue
    ) -> EventMessage {
        EventMessage(
            event: event,
            action: action,
            origin: name.map { introduce($0, of: event, &core, &queue) },
            context: metadata.context
        )
    }

    /// Cancels an event and everything that it has started. You can call it on any thread.
    package func cancel(event: UInt64, _ cancellation: WireCancellation) {
        let (cancelling, session) = core.withLock { ($0.state.cancel(event, cancellation), $0.session) }
        switch cancelling {
        case .nothing: break
        case .end(let promise):
            promise.ended(.cancelled(cancellation.at(.beforeStart)))
            // An empty update notifies owners that count the events in flight.
            gatherSoon { _ in }
        case .transmit: session?.sendControl(CancelMessage(event: event, cancellation), on: number)
        }
    }

    /// Ends an event whose deadline has passed, unless the peer has received the event and handles the deadline. Any
    /// thread.
    package func expire(event: UInt64) {
        guard let promise = core.withLock({ $0.state.expire(event) }) else { return }
        gatherSoon { $0.endings.append(ChannelUpdate.Ending(promise: promise, outcome: .deadlinePassed)) }
    }

    /// The time after the deadline of an event in which the peer must say how the event has ended.
    package var deadlineGrace: Duration { limits.deadlineGrace }

    /// Ends an event that has a deadline and that the peer has not ended in ``deadlineGrace`` after it. What the peer
    /// says later about the event is ignored. Any thread.
    package func endOverdue(event: UInt64) {
        guard let promise = core.withLock({ $0.state.endOverdue(event) }) else { return }
        let outcome = WireOutcome.cancelled(WireCancellation(by: .deadline))
        gatherSoon { $0.endings.append(ChannelUpdate.Ending(promise: promise, outcome: outcome)) }
    }
}
