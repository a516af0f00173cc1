import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeTransport

/// Informs a feature which clients have one of its instances open. It belongs to the event loop.
final class PresenceAnnouncer: Sendable {
    private let eventLoop: any EventLoop
    private let state: LoopBound<PresenceState>
    /// Sends the action of the feature, or returns nil if the feature has none.
    private let send: @Sendable (Presence) -> EventTask?

    init(on eventLoop: any EventLoop, send: @escaping @Sendable (Presence) -> EventTask?) {
        self.eventLoop = eventLoop
        self.send = send
        state = LoopBound(PresenceState(), to: eventLoop.thread)
    }

    /// Creates an announcer for a feature, or returns nil if the feature does not ask who is there.
    ///
    /// - Parameters:
    ///   - state: Returns the newest domain state, or nil if there is none.
    ///   - send: Sends an action.
    static func make<Feature: HostedFeature>(
        for feature: Feature.Type,
        on eventLoop: any EventLoop,
        in state: @escaping @Sendable () -> Feature.DomainState?,
        send: @escaping @Sendable (Feature.Action) -> EventTask
    ) -> PresenceAnnouncer? {
        func make<Known: PresenceFeature>(_ known: Known.Type) -> PresenceAnnouncer {
            PresenceAnnouncer(on: eventLoop) { presence in
                guard let state = state() as? Known.DomainState,
                    let action = Known.action(for: presence, in: state) as? Feature.Action
                else { return nil }
                return send(action)
            }
        }
        return (feature as? any PresenceFeature.Type).map { make($0) }
    }

    func joined(_ client: OpeningClient) {
        execute(state.value.joined(client))
    }

    func left(_ client: OpeningClient, isLost: Bool) {
        execute(state.value.left(client, isLost: isLost))
    }

    /// Reports nothing any more, because the instance is closed.
    func end() {
        state.value.end()
    }

    private func execute(_ outputs: [PresenceState.Output]) {
        for output in outputs {
            switch output {
            case .report(let presence): report(presence)
            case .wait(let milliseconds, let timer):
                eventLoop.after(milliseconds: Int64(milliseconds)) { [weak self] in
                    guard let self else { return }
                    execute(state.value.timerFired(timer))
                }
            }
        }
    }

    private func report(_ presence: Presence) {
        send(presence)?.onCompletion { [weak self, eventLoop] outcome in
            guard case .rejected(let rejection) = outcome, [.overloaded, .closed].contains(rejection.code) else {
                return
            }
            // Later, because the action may be rejected while it is sent.
            eventLoop.execute { [weak self] in
                guard let self else { return }
                execute(state.value.rejected(presence))
            }
        }
    }
}
