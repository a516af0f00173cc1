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
        deliver: @escaping @Sendable (Delivery<State>) -> Void
    ) {
        let patching = StatePatching<State>.make()
        let latest = patching.map { LatestState($0, startingFrom: initialState) }
        let delivery = Delivery(latest)
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
                delivery.begin(news, update, of: channel)
                deliver(delivery)
                if let latest {
                    delivery.keepState()
                    latest.handedOn(eventLoop)
                }
                delivery.end()
            }
        }
        self.channel = channel
        origin = sender.map { sender in
            EventOrigin(sender: sender, channel: channel.number, feature: subject.feature, instance: subject.instance)
        }
    }

    /// Sends an action as an event. Any thread.
    package func send(_ action: Action) -> EventTask {
        makeTask(sendTracked(action))
    }

    /// The same with a deadline, which travels: whoever has the event then looks after it. Any thread.
    package func send(_ action: Action, deadline: ContinuousClock.Instant) -> EventTask {
        let deadline = EventDeadline(deadline)
        let sent = sendTracked(action, deadline: deadline)
        if let left = deadline.left, let event = sent.event {
            sent.completion.after(left) { [channel] in channel.expire(event: event) }
        }
        return makeTask(sent)
    }

    private func makeTask(_ sent: (completion: EventCompletion, event: UInt64?)) -> EventTask {
        guard let event = sent.event, let origin else { return EventTask(completion: sent.completion) }
        return EventTask(completion: sent.completion, id: EventID(origin: origin, number: event))
    }

    /// The same for those who compare the completion with what is delivered.
    ///
    /// - Returns: What ends with the event, and the event's number; nil when it was rejected at once.
    package func sendTracked(
        _ action: Action,
        deadline: EventDeadline = .never
    ) -> (completion: EventCompletion, event: UInt64?) {
        var made: EventCompletion?
        do {
            let terms = EventMetadata(deadline: deadline, trace: TraceContext.currentLines)
            let event = channel.send(try CBOREncoder().encode(action), terms: terms) { number in
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

extension EventCompletion: EventPromise {
    package func ended(_ outcome: WireOutcome, report: TerminationReport?) {
        complete(EventOutcome(outcome, report: report))
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
