import LatticeCoding
package import LatticeCore
package import LatticeSession
package import LatticeWire

/// The opening end of a feature's channel, with its types: actions go there, states and outcomes come back.
///
/// It codes; everything else is ``ChannelClient``.
package final class FeatureClient<Action: Encodable & Sendable, State: Decodable & Sendable>: EventCancelling {
    package let channel: ChannelClient
    /// Where the events come from that are sent here first; nil if this side is nobody in particular.
    private let origin: EventOrigin?

    /// Makes the channel and opens it if there is a session, else when there is one.
    ///
    /// - Parameters:
    ///   - sender: Who this side is to whoever handles its events; nil: nobody in particular.
    ///   - initialState: What a worker starts from that never had the feature; nil: what the feature says.
    ///   - deliversEveryState: Whether each state that comes is decoded and delivered by itself, for those who count or
    ///     record them, instead of the newest one of a tick.
    ///   - deliver: Called on the event loop.
    package init(
        _ subject: ChannelClient.Subject,
        in channels: ClientChannels,
        sender: EventSender?,
        limits: ChannelLimits = ChannelLimits(),
        initialState: InitialState<State>? = nil,
        deliversEveryState: Bool = false,
        deliver: @escaping @Sendable (inout Delivery<State>) -> Void
    ) {
        let patching = StatePatching<State>.make()
        let latest = patching.map { LatestState($0, startingFrom: initialState) }
        // Not `channels`, which keep the channel.
        let eventLoop = channels.eventLoop
        let channel = channels.makeChannel { number in
            ChannelClient(
                number: number,
                subject: subject,
                eventLoop: eventLoop,
                limits: limits,
                initialState: initialState?.bytes,
                takesPatches: patching != nil,
                deliversEveryState: deliversEveryState,
                decode: { try $0.newestState(of: latest) as State }
            ) { channel, news, update in
                var delivery = Delivery<State>(news, update, channel, latest)
                deliver(&delivery)
                if let latest {
                    delivery.keepState()
                    latest.handedOn(eventLoop)
                }
            }
        }
        self.channel = channel
        origin = sender.map { sender in
            EventOrigin(sender: sender, channel: channel.number, feature: subject.feature, instance: subject.instance)
        }
    }

    /// Sends an action as an event. Any thread.
    package func send(_ action: Action) -> EventTask {
        let (completion, event) = sendTracked(action)
        guard let event, let origin else { return EventTask(completion: completion) }
        return EventTask(completion: completion, id: EventID(origin: origin, number: event))
    }

    /// The same for those who compare the completion with what is delivered.
    ///
    /// - Returns: What ends with the event, and the event's number; nil when it was rejected at once.
    package func sendTracked(_ action: Action) -> (completion: EventCompletion, event: UInt64?) {
        var made: EventCompletion?
        do {
            let event = channel.send(try CBOREncoder().encode(action)) { number in
                // Holds this until the event ends, which each one does.
                let completion = EventCompletion(canceller: self, event: number)
                made = completion
                return completion
            }
            guard let made else { preconditionFailure("A channel makes a ticket for each event.") }
            return (made, event)
        } catch {
            let completion = EventCompletion(hasEffects: false)
            completion.complete(.rejected(.undecodable.with(reason: "the action cannot be encoded: \(error)")))
            return (completion, nil)
        }
    }

    package var endsEvents: Bool { false }

    package func cancel(event: UInt64) {
        channel.cancel(event: event)
    }
}

extension EventCompletion: EventTicket {
    package func ended(_ outcome: WireOutcome, report: (any Sendable)?) {
        complete(EventOutcome(outcome, report: report as? CrashReport))
    }
}

extension EventTask: RunningEvent {}

extension ChannelClient: EventCancelling {
    package var endsEvents: Bool { false }

    /// Sends an event that was taken out, as a new one with the name that it had.
    package func sendAgain(_ action: [UInt8], as name: EventName) -> EventCompletion {
        var completion = EventCompletion(hasEffects: false)
        _ = send(action, as: name) { number in
            completion = EventCompletion(canceller: self, event: number)
            return completion
        }
        return completion
    }
}

/// What one tick of the event loop brought for one channel: what ended and the newest state, as bytes. Valid only while
/// it is being delivered.
package struct Delivery<State: Decodable & Sendable> {
    /// What ended, and the rest. Events of a state that cannot be decoded fail when it is decoded, so decode it first.
    package private(set) var news: ChannelNews
    // Bytes, so that nothing here is of a type that is known only at run time: passing that around costs more than
    // decoding a small state.
    private var update: StateUpdate
    private let channel: ChannelClient
    /// Nil for states that do not travel as patches.
    private let latest: LatestState<State>?

    init(_ news: ChannelNews, _ update: StateUpdate, _ channel: ChannelClient, _ latest: LatestState<State>?) {
        self.news = news
        self.update = update
        self.channel = channel
        self.latest = latest
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
    package mutating func decodeState() -> State? {
        guard !update.isEmpty else { return nil }
        defer { update = StateUpdate() }
        let observer = channel.codingProgress
        do {
            let state =
                if let decoded = update.decoded {
                    try Self.state(decoded)
                } else {
                    try update.newestState(of: latest, observer: observer)
                }
            if let latest, let bytes = update.snapshot?.count {
                latest.patching.noteWhole(bytes: bytes, on: channel.eventLoop)
            }
            if let latest, channel.subject.restoresState {
                channel.accept(&news, encodedBy: latest.encoding(state, progress: observer))
            } else {
                channel.accept(&news)
            }
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
    fileprivate mutating func keepState() {
        _ = decodeState()
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
    fileprivate func newestState<State: Decodable>(
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
