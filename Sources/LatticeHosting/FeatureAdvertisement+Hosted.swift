package import LatticeCore
package import LatticeSession
package import LatticeWire

extension FeatureAdvertisement {
    /// Creates the advertisement of a process that serves a feature.
    ///
    /// - Parameters:
    ///   - feature: The feature. If its schema version cannot be represented on the wire, the nearest possible number
    ///     is used. The process that hosts the feature rejects such a version.
    ///   - level: The level at which the feature is served.
    package init(_ feature: any HostedFeature.Type, level: FeatureLevel) {
        self.init(identifier: feature.identifier, schema: UInt32(clamping: feature.schema), level: level)
    }

    /// Checks that a handshake has room for all features of a process. Without room, no session could begin.
    ///
    /// - Throws: `ConfigurationError` if there are too many features, or if their identifiers are too long.
    package static func checkRoom(for features: [any HostedFeature.Type]) throws(ConfigurationError) {
        let (count, maximum) = (features.count, MessageLimits.maximumFeatures)
        guard count <= maximum else {
            let message =
                "\(count) features are hosted, but a handshake can name at most \(maximum). Host fewer features."
            throw ConfigurationError(message: message)
        }
        let bytes = length(of: features.map { FeatureAdvertisement($0, level: .domain) })
        guard bytes <= MessageLimits.maximumFeatureBytes else {
            throw ConfigurationError(
                message: "The \(count) hosted features need \(bytes) bytes of a handshake, which has room for"
                    + " \(MessageLimits.maximumFeatureBytes). Host fewer features, or give them shorter identifiers."
            )
        }
    }
}
