package import LatticeCore
package import LatticeTransport
import LatticeWire

/// A feature that somebody else serves, with its types: actions go there, states and outcomes come back.
///
/// It codes; everything else is `ChannelLink`.
package final class RemoteChannel<Action: Encodable & Sendable, State: Decodable & Sendable>: Sendable {
    package typealias Subject = ChannelSubject

    package let link: ChannelLink

    package var number: UInt32 { link.number }
    package var subject: ChannelSubject { link.subject }
    package var eventLoop: any EventLoop { link.eventLoop }

    /// - Parameters:
    ///   - deliversEveryState: Whether each state that comes is decoded and delivered by itself, for those who count or
    ///     record them, instead of the newest one of a turn.
    ///   - deliver: Called on the reactor's thread.
    package init(
        number: UInt32,
        subject: ChannelSubject,
        eventLoop: any EventLoop,
        limits: ChannelLimits = ChannelLimits(),
        deliversEveryState: Bool = false,
        deliver: @escaping @Sendable (inout Delivery<State>) -> Void
    ) {
        link = ChannelLink(
            number: number,
            subject: subject,
            eventLoop: eventLoop,
            limits: limits,
            deliversEveryState: deliversEveryState
        ) { link, news, bytes in
            var delivery = Delivery<State>(news, bytes, link)
            deliver(&delivery)
        }
    }

    /// Sends an action as an event. Any thread.
    package func send(_ action: Action) -> EventTask {
        do {
            let (completion, event) = link.send(encoded: try CBOREncoder().encode(action))
            guard let event, let origin = link.origin else { return EventTask(completion: completion) }
            return EventTask(completion: completion, id: EventID(origin: origin, number: event))
        } catch {
            return EventTask(completion: Self.rejected(error))
        }
    }

    /// The same for those who compare the completion with what is delivered.
    package func sendTracked(_ action: Action) -> EventCompletion {
        do {
            return link.send(encoded: try CBOREncoder().encode(action)).completion
        } catch {
            return Self.rejected(error)
        }
    }

    private static func rejected(_ error: any Error) -> EventCompletion {
        let completion = EventCompletion(hasEffects: false)
        completion.complete(.rejected(.undecodable.with(reason: "the action cannot be encoded: \(error)")))
        return completion
    }

    /// Sends an action that is encoded already.
    ///
    /// - Parameter identity: The event's name, if somebody else has sent it.
    /// - Returns: What ends with the event, and the event's number; nil when it was rejected at once.
    package func send(
        encoded action: [UInt8],
        as identity: EventID? = nil
    ) -> (completion: EventCompletion, event: UInt64?) {
        link.send(encoded: action, as: identity)
    }
}
