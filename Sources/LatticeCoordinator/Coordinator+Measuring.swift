package import LatticeCore

extension Coordinator {
    /// Returns a function that sends a view state to the clients of a feature without involving a worker, for
    /// measurements.
    package func publisher<Feature: HostedFeature>(
        of feature: Feature.Type,
        instance: String = ""
    ) async throws -> (Feature.ViewState) throws -> Void {
        let host = try await registry.host(feature, instance)
        return { try host.publish($0) }
    }
}
