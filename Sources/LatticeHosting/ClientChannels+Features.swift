package import LatticeCore
package import LatticeSession
import LatticeWire

extension ClientChannels {
    /// The session is gone, and what ran on the other side too.
    package func detach(interruption: Interruption) {
        detach(interrupting: WireOutcome(.interrupted(interruption)))
    }

    /// Nobody will answer any more.
    package func close(reason: String, interruption: Interruption) {
        close(ChannelEnd(reason: reason), interruption: WireOutcome(.interrupted(interruption)))
    }

    package func report(_ host: HostStatus) {
        var coordinator: UInt64?
        if case .serving(let serving) = host { coordinator = serving.coordinator }
        report(ChannelNews.HostReport(status: HostStatusMessage(host), coordinator: coordinator))
    }
}

extension ChannelClient.Subject {
    package init(_ feature: any HostedFeature.Type, instance: String, restoresState: Bool) {
        self.init(
            feature: feature.identifier,
            schema: feature.schema,
            instance: instance,
            restoresState: restoresState
        )
    }
}
