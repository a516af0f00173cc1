package import LatticeCore
package import LatticeTransport
package import LatticeWire

/// A feature that somebody else serves, with its types: actions go there, states and outcomes come back.
///
/// It codes; everything else is `ChannelLink`.
package final class RemoteChannel<Action: Encodable & Sendable, State: Decodable & Sendable>: RoutedChannel {
    package typealias Subject = ChannelSubject

    private let link: ChannelLink

    package var number: UInt32 { link.number }
    package var subject: ChannelSubject { link.subject }
    package var reactor: Reactor { link.reactor }

    /// - Parameters:
    ///   - deliversEveryState: Whether each state that comes is decoded and delivered by itself, for those who count or
    ///     record them, instead of the newest one of a turn.
    ///   - deliver: Called on the reactor's thread.
    package init(
        number: UInt32,
        subject: ChannelSubject,
        reactor: Reactor,
        limits: ChannelLimits = ChannelLimits(),
        deliversEveryState: Bool = false,
        deliver: @escaping @Sendable (Delivery<State>) -> Void
    ) {
        link = ChannelLink(
            number: number,
            subject: subject,
            reactor: reactor,
            limits: limits,
            deliversEveryState: deliversEveryState
        ) { link, news, bytes in
            var delivery = Delivery<State>(news)
            if let bytes {
                do {
                    delivery.state = try CBORDecoder().decode(State.self, from: bytes)
                } catch {
                    link.abort(.violation("the state of \(subject.feature) cannot be decoded: \(error)"))
                }
            }
            deliver(delivery)
        }
    }

    /// Sends an action as an event. Any thread.
    package func send(_ action: Action) -> EventTask {
        EventTask(completion: sendTracked(action))
    }

    /// The same for those who compare the completion with what is delivered.
    package func sendTracked(_ action: Action) -> EventCompletion {
        do {
            return link.send(encoded: try CBOREncoder().encode(action)).completion
        } catch {
            let completion = EventCompletion(hasEffects: false)
            completion.complete(.rejected(.undecodable.with(reason: "the action cannot be encoded: \(error)")))
            return completion
        }
    }

    /// Sends an action that is encoded already.
    ///
    /// - Returns: What ends with the event, and the event's number; nil when it was rejected at once.
    package func send(encoded action: [UInt8]) -> (completion: EventCompletion, event: UInt64?) {
        link.send(encoded: action)
    }

    // MARK: As a channel of an opener

    package func open(on session: Session, isContinuation: Bool) {
        link.open(on: session, isContinuation: isContinuation)
    }

    package func receive(_ kind: MessageKind, _ body: UnsafeRawBufferPointer) throws(WireError) {
        try link.receive(kind, body)
    }

    package func detach(interruption: Interruption?) {
        link.detach(interruption: interruption)
    }

    package func close(_ rejection: EventRejection, interruption: Interruption) {
        link.close(rejection, interruption: interruption)
    }

    package func revive() {
        link.revive()
    }

    package func leave() {
        link.leave()
    }

    package func report(_ host: HostStatus) {
        link.report(host)
    }
}
