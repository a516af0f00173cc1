package import LatticeCore
package import LatticeSession
package import LatticeWire

extension FeatureAdvertisement {
    /// What a process says that serves the feature.
    ///
    /// - Parameter feature: A schema that does not travel is cut to the nearest that does; who hosts it refuses it.
    package init(_ feature: any HostedFeature.Type, level: FeatureLevel) {
        self.init(identifier: feature.identifier, schema: UInt32(clamping: feature.schema), level: level)
    }

    /// Checks that a hello or a welcome can name all that a process hosts: without one no session begins.
    package static func checkRoom(for features: [any HostedFeature.Type]) throws(ConfigurationError) {
        let (count, most) = (features.count, MessageLimits.maximumFeatures)
        guard count <= most else {
            let message = "\(count) features are hosted, and a handshake names at most \(most); host fewer"
            throw ConfigurationError(message: message)
        }
        let bytes = length(of: features.map { FeatureAdvertisement($0, level: .domain) })
        guard bytes <= MessageLimits.maximumFeatureBytes else {
            throw ConfigurationError(
                message: "the \(count) hosted features take \(bytes) bytes of a handshake, and there is room for"
                    + " \(MessageLimits.maximumFeatureBytes); host fewer, or give them shorter identifiers"
            )
        }
    }
}
