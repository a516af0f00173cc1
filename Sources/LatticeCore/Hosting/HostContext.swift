import IssueReporting

/// The information about its environment that a feature receives.
///
/// A worker creates a context for each instance that it opens. For a feature in this process, and for tests, you create
/// it yourself:
///
/// ```swift
/// var context = HostContext(configuration: Upload.Configuration(host: "example.org"))
/// context[UploaderKey.self] = RecordingUploader()
/// let viewModel = ViewModel(inProcess: Upload.self, in: context)
/// ```
public struct HostContext: Sendable {
    /// The instance key, which selects one of several independent states of the feature. It is empty for the only one.
    public let instance: String
    /// The group of workers that runs the feature. It is empty for a feature in no group, and in process.
    public let group: String
    /// The incarnation of the worker, which starts at 1 and only grows. It is 1 in process, and 0 in a coordinator,
    /// where the feature does not run.
    public let incarnation: UInt64
    /// The values that the feature uses besides its state.
    public var dependencies: HostDependencies
    private let configuration: (any Codable & Sendable)?

    /// Creates a context.
    ///
    /// - Parameters:
    ///   - instance: The instance key.
    ///   - group: The group of workers that runs the feature.
    ///   - incarnation: The incarnation of the worker.
    ///   - configuration: The feature's ``HostedFeature/Configuration``, or nil for its default.
    ///   - dependencies: The values that the feature uses besides its state.
    public init(
        instance: String = "",
        group: String = "",
        incarnation: UInt64 = 1,
        configuration: (any Codable & Sendable)? = nil,
        dependencies: HostDependencies = HostDependencies()
    ) {
        self.instance = instance
        self.group = group
        self.incarnation = incarnation
        self.configuration = configuration
        self.dependencies = dependencies
    }

    /// Returns the configuration of the feature. It is the one that the coordinator sets, or else the feature's
    /// ``HostedFeature/defaultConfiguration``.
    public func configuration<Feature: HostedFeature>(of feature: Feature.Type) -> Feature.Configuration {
        given(feature) ?? feature.defaultConfiguration
    }

    /// Returns the configuration that was set for the feature, or nil if none was set.
    package func given<Feature: HostedFeature>(_ feature: Feature.Type) -> Feature.Configuration? {
        guard let configuration else { return nil }
        if let configuration = configuration as? Feature.Configuration { return configuration }
        reportIssue(
            """
            "\(feature.identifier)" was configured with a \(type(of: configuration)), but expects a \
            \(Feature.Configuration.self). Its default configuration is used instead. Pass a configuration of that type.
            """
        )
        return nil
    }

    /// The value of a dependency.
    public subscript<Key: HostDependencyKey>(key: Key.Type) -> Key.Value {
        get { dependencies[key] }
        set { dependencies[key] = newValue }
    }
}
