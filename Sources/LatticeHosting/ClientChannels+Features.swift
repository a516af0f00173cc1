package import LatticeCore
package import LatticeSession
import LatticeWire

extension ClientChannels {
    /// Makes a feature's channel and opens it if there is a session, else when there is one.
    package func makeFeature<Action, State>(
        _ make: (UInt32) -> FeatureClient<Action, State>
    ) -> FeatureClient<Action, State> {
        var feature: FeatureClient<Action, State>?
        let channel = makeChannel { number in
            let made = make(number)
            feature = made
            return made.channel
        }
        guard let feature else { preconditionFailure("channel \(channel.number) was made by somebody else") }
        return feature
    }

    /// The session is gone, and what ran on the other side too.
    package func detach(interruption: Interruption) {
        detach(interrupting: WireOutcome(.interrupted(interruption)))
    }

    /// Nobody will answer any more.
    package func close(_ rejection: EventRejection, interruption: Interruption) {
        close(ChannelEnd(rejection), interruption: WireOutcome(.interrupted(interruption)))
    }

    package func report(_ host: HostStatus) {
        var coordinator: UInt64?
        if case .serving(let serving) = host { coordinator = serving.coordinator }
        report(ChannelNews.Host(status: HostStatusMessage(host), coordinator: coordinator))
    }
}

extension ChannelEnd {
    package init(_ rejection: EventRejection) {
        self.init(code: RejectionCode(rawValue: rejection.code.rawValue), reason: rejection.reason)
    }
}
