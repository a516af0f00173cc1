import IssueReporting

/// What a feature may know of the place where it runs.
///
/// A worker makes one for each instance that it opens. For a feature in this process, and for tests, it is made by
/// hand:
///
/// ```swift
/// var context = HostContext(configuration: Upload.Configuration(host: "example.org"))
/// context[UploaderKey.self] = RecordingUploader()
/// let viewModel = ViewModel(inProcess: Upload.self, in: context)
/// ```
public struct HostContext: Sendable {
    /// Which of several independent states of the feature this is; empty for the only one.
    public let instance: String
    /// The group of workers that it is placed in; empty for a feature that is in none, and in process.
    public let group: String
    /// The life of the worker, from 1 on, which only grows; 1 in process. 0 in a coordinator, where the feature does
    /// not run.
    public let incarnation: UInt64
    /// What the feature uses besides its state.
    public var dependencies: HostDependencies
    private let configuration: (any Codable & Sendable)?

    /// - Parameter configuration: The feature's ``HostedFeature/Configuration``; nil for its default.
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

    /// How the feature is configured: as its coordinator says, else by its ``HostedFeature/defaultConfiguration``.
    public func configuration<Feature: HostedFeature>(of feature: Feature.Type) -> Feature.Configuration {
        given(feature) ?? feature.defaultConfiguration
    }

    /// What the feature was configured with, if it was.
    package func given<Feature: HostedFeature>(_ feature: Feature.Type) -> Feature.Configuration? {
        guard let configuration else { return nil }
        if let configuration = configuration as? Feature.Configuration { return configuration }
        reportIssue(
            """
            "\(feature.identifier)" was configured with a \(type(of: configuration)), and takes a \
            \(Feature.Configuration.self). Its default configuration holds.
            """
        )
        return nil
    }

    /// A dependency.
    public subscript<Key: HostDependencyKey>(key: Key.Type) -> Key.Value {
        get { dependencies[key] }
        set { dependencies[key] = newValue }
    }
}
