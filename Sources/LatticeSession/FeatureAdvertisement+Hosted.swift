package import LatticeCore
package import LatticeWire

extension FeatureAdvertisement {
    /// What a process says that serves the feature.
    ///
    /// - Parameter feature: A schema that does not travel is cut to the nearest that does; who hosts it refuses it.
    package init(_ feature: any HostedFeature.Type, level: FeatureLevel) {
        self.init(identifier: feature.identifier, schema: UInt32(clamping: feature.schema), level: level)
    }
}
