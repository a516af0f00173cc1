/// A key for something that features use besides their state, such as the client of a server. A test can replace the
/// value with another one.
///
/// ```swift
/// enum UploaderKey: HostDependencyKey {
///     static var defaultValue: any Uploader { HTTPUploader() }
/// }
/// ```
public protocol HostDependencyKey {
    /// The type of the dependency.
    associatedtype Value: Sendable

    /// The value that features receive if none was set. It is read whenever it is needed. To share one value,
    /// return a `static let`.
    static var defaultValue: Value { get }
}

/// The values that features use besides their state, each under the type of its key.
///
/// Dependencies belong to the process in which the interactors run. A worker receives them when it starts, from
/// `worker.run`. A feature in this process receives them with its ``HostContext``.
public struct HostDependencies: Sendable {
    private var values: [ObjectIdentifier: any Sendable] = [:]

    /// Creates a collection in which every dependency has its default value.
    public init() {}

    /// The value of a dependency.
    /// - Complexity: O(1).
    public subscript<Key: HostDependencyKey>(key: Key.Type) -> Key.Value {
        get { values[ObjectIdentifier(key)] as? Key.Value ?? Key.defaultValue }
        set { values[ObjectIdentifier(key)] = newValue }
    }
}
