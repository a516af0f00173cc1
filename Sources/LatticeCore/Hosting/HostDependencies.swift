/// Names something that features use besides their state, such as a client of a server, so that a test can put
/// something else in its place.
///
/// ```swift
/// enum UploaderKey: HostDependencyKey {
///     static var defaultValue: any Uploader { HTTPUploader() }
/// }
/// ```
public protocol HostDependencyKey {
    associatedtype Value: Sendable

    /// What holds where nobody says anything else. Asked whenever it is needed; what is to be shared is a `static let`.
    static var defaultValue: Value { get }
}

/// What features use besides their state, each under the type that names it.
///
/// They belong to the process that the interactors run in: a worker gets them where it is launched, `worker.run`, and a
/// feature in this process with its ``HostContext``.
public struct HostDependencies: Sendable {
    private var values: [ObjectIdentifier: any Sendable] = [:]

    /// All as they are by default.
    public init() {}

    /// - Complexity: O(1).
    public subscript<Key: HostDependencyKey>(key: Key.Type) -> Key.Value {
        get { values[ObjectIdentifier(key)] as? Key.Value ?? Key.defaultValue }
        set { values[ObjectIdentifier(key)] = newValue }
    }
}
