import LatticeCoding
package import LatticeConcurrency
package import LatticeCore
package import LatticeSession
package import LatticeWire

/// The opening end of a feature's channel with types: it sends actions and receives states and outcomes.
///
/// This class and ``ActionSender`` encode and decode. ``ChannelClient`` does everything else.
package final class FeatureClient<Action: Encodable & Sendable, State: Decodable & Sendable>: Sendable {
    /// The channel.
    package let channel: ChannelClient
    /// Sends the actions.
    package let actions: ActionSender<Action>

    /// Creates the channel and opens it in the present session, or in the next one if there is none.
    ///
    /// - Parameters:
    ///   - subject: The feature and instance to open.
    ///   - channels: The channels to the peer.
    ///   - sender: The sender identity of this process. Nil if it has none.
    ///   - limits: The limits on what the channel keeps in memory.
    ///   - initialState: The state that the first worker of the feature starts from. Nil if the feature provides its
    ///     initial state.
    ///   - deliversEveryState: Whether each received state is decoded and delivered separately instead of only the
    ///     newest one of a tick. For callers that count or record states.
    ///   - events: The sink that receives the events that are sent here.
    ///   - deliver: Receives everything that arrives. Called on the event loop.
    package init(
        _ subject: ChannelClient.Subject,
        in channels: ClientChannels,
        sender: EventSender?,
        limits: ChannelLimits = ChannelLimits(),
        initialState: InitialState<State>? = nil,
        deliversEveryState: Bool = false,
        events: RuntimeEvents = .none,
        deliver: @escaping @Sendable (Delivery<State>) -> Void
    ) {
        let patching = StatePatching<State>.make()
        let latest = patching.map { LatestState($0, startingFrom: initialState) }
        // The closure must not capture `channels`, because `channels` retains the channel.
        let eventLoop = channels.eventLoop
        let delivery = Delivery(latest, on: eventLoop)
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
            ) { channel, channelUpdate, stateUpdate in
                delivery.begin(channelUpdate, stateUpdate, of: channel)
                deliver(delivery)
                if let latest {
                    delivery.keepState()
                    latest.handedOn(eventLoop)
                }
                delivery.end()
            }
        }
        self.channel = channel
        actions = ActionSender(on: channel, sender: sender, events: events)
    }

    /// Sends an action as an event. You can call it on any thread.
    package func send(_ action: Action) -> EventTask {
        actions.send(action)
    }

    /// Sends an action as an event with a deadline. You can call it on any thread.
    package func send(_ action: Action, deadline: ContinuousClock.Instant) -> EventTask {
        actions.send(action, deadline: deadline)
    }
}

/// Encodes actions and sends them as events.
package final class ActionSender<Action: Encodable & Sendable>: EventCancelling {
    private let channel: ChannelClient
    /// The origin of the events that are sent here. Nil if this process has no sender identity.
    private let origin: EventOrigin?
    private let events: RuntimeEvents
    private let isObserved: Bool
    private let tracing: FeatureTracing?

    init(on channel: ChannelClient, sender: EventSender?, events: RuntimeEvents) {
        self.channel = channel
        self.events = events
        isObserved = events.wants(.eventSent) || events.wants(.eventEnded) || events.wants(.eventOrdered)
        let subject = channel.subject
        tracing = FeatureTracing(events.tracer, feature: subject.feature, instance: subject.instance)
        origin = sender.map { sender in
            EventOrigin(sender: sender, channel: channel.number, feature: subject.feature, instance: subject.instance)
        }
    }

    /// Sends an action as an event. You can call it on any thread.
    package func send(_ action: Action) -> EventTask {
        let cause = EventMetadata.Cause.current
        return makeTask(sendTracked(action, cause: cause), cause)
    }

    /// Sends the action with which the feature recovers from an interruption. You can call it on any thread.
    package func send(_ action: Action, recoveringFrom interruption: Interruption) -> EventTask {
        let cause = EventMetadata.Cause.recovery(interruption.incarnation)
        return makeTask(sendTracked(action, cause: cause), cause)
    }

    /// Sends an action as an event with a deadline. The deadline travels with the event, and each process that has the
    /// event enforces it. You can call it on any thread.
    package func send(_ action: Action, deadline: ContinuousClock.Instant) -> EventTask {
        let deadline = MonotonicDeadline(deadline)
        let cause = EventMetadata.Cause.current
        let sent = sendTracked(action, deadline: deadline, cause: cause)
        if let left = deadline.left, let event = sent.event {
            let completion = sent.completion
            completion.after(left) { [channel] in
                channel.expire(event: event)
                completion.after(channel.deadlineGrace) { channel.endOverdue(event: event) }
            }
        }
        return makeTask(sent, cause)
    }

    private func makeTask(
        _ sent: (completion: EventCompletion, event: UInt64?),
        _ cause: EventMetadata.Cause?
    ) -> EventTask {
        guard let event = sent.event, let origin else { return EventTask(completion: sent.completion) }
        let id = EventID(origin: origin, number: event)
        if isObserved { observe(sent.completion, as: id, cause) }
        return EventTask(completion: sent.completion, id: id)
    }

    private func observe(_ completion: EventCompletion, as id: EventID, _ cause: EventMetadata.Cause?) {
        events.emit(.eventSent, .eventSent(id))
        // Only the number on the channel to the worker is the place among the events of all senders.
        if channel.subject.restoresState, events.wants(.eventOrdered) {
            let context = EventContext(id: id, order: id.number, cause: cause.eventCause)
            events.emit(.eventOrdered, .eventOrdered(id, context))
        }
        guard events.wants(.eventEnded) else { return }
        let start = MonotonicTime.withSleep
        completion.onCompletion { [events] outcome in
            let duration = Duration.nanoseconds(MonotonicTime.withSleep - start)
            events.emit(.eventEnded, .eventEnded(id, outcome, after: duration))
        }
    }

    /// Sends an action as an event and returns its completion, for callers that compare the completion with what is
    /// delivered.
    ///
    /// - Returns: The completion of the event and the event's number. The number is nil if the event was rejected
    ///   immediately.
    package func sendTracked(
        _ action: Action,
        deadline: MonotonicDeadline = .never,
        cause: EventMetadata.Cause? = .current
    ) -> (completion: EventCompletion, event: UInt64?) {
        var made: EventCompletion?
        var lines = TraceContext.currentLines
        let span = tracing?.beginEvent(in: lines)
        if let span { lines = span.lines }
        do {
            let metadata = EventMetadata(deadline: deadline, trace: lines, cause: cause)
            let event = channel.send(try CBOREncoder().encode(action), metadata: metadata) { number in
                // The completion retains this object until the event ends, which every event does.
                let completion = EventCompletion(canceller: self, event: number)
                made = completion
                return completion
            }
            guard let made else { preconditionFailure("A channel makes a promise for each event.") }
            if let span { end(span, with: made, event) }
            return (made, event)
        } catch {
            let completion = EventCompletion(hasEffects: false)
            completion.complete(.rejected(.undecodable.with(reason: "The action cannot be encoded: \(error)")))
            if let span { end(span, with: completion, nil) }
            return (completion, nil)
        }
    }

    /// Lets a span end with its event, whose number is nil if it was not sent.
    private func end(_ span: any OpenSpan, with completion: EventCompletion, _ event: UInt64?) {
        if let event, let origin { span.set(.event, to: "\(EventID(origin: origin, number: event))") }
        completion.onCompletion { span.end(SpanEnd($0)) }
    }

    /// False, because the peer ends a cancelled event.
    package var endsEvents: Bool { false }

    /// Cancels an event. You can call it on any thread.
    package func cancel(event: UInt64, _ cancellation: Cancellation) {
        channel.cancel(event: event, cancellation)
    }
}

extension EventCompletion: EventPromise {
    /// Completes the event's task.
    package func ended(_ outcome: WireOutcome, report: TerminationReport?) {
        complete(EventOutcome(outcome, report: report))
    }
}

extension EventTask: RunningEvent {
    /// Cancels the event, for the reason that a message contains.
    package func cancel(_ cancellation: WireCancellation) {
        cancel(Cancellation(cancellation))
    }
}

extension ChannelClient: EventCancelling {
    /// False, because the peer ends a cancelled event.
    package var endsEvents: Bool { false }

    /// Cancels an event and everything that it has started. You can call it on any thread.
    package func cancel(event: UInt64, _ cancellation: Cancellation) {
        cancel(event: event, WireCancellation(cancellation))
    }

    /// Sends an event that was removed from isolated retry again. It is a new event with its previous name.
    package func sendAgain(
        _ action: [UInt8],
        as name: EventName,
        _ cause: EventMetadata.Cause?
    ) -> EventCompletion {
        var completion = EventCompletion(hasEffects: false)
        _ = send(action, as: name, metadata: EventMetadata(cause: cause)) { number in
            completion = EventCompletion(canceller: self, event: number)
            return completion
        }
        return completion
    }
}
