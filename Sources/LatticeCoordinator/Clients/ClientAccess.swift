public import LatticeCore

/// What a client may do with an instance of a feature that it opens.
///
/// ``CoordinatorConfiguration/authorization`` decides it. The sentences reach the client, so they should say what
/// happened and what to do, in full sentences.
public enum ClientAccess: Sendable, Hashable {
    /// The client gets the view states, and may send events and ask questions.
    case full
    /// The client gets the view states and may ask questions. Its events end `rejected(.readOnly)`, with this sentence
    /// as the reason.
    case readOnly(String)
    /// The client cannot open the instance. Its request fails with this sentence.
    case refused(String)
}

/// A client that opens an instance of a feature.
public struct AccessRequest: Sendable, Hashable {
    /// The client. Its process and user are those that the kernel recorded when it connected. Its program is a hint,
    /// which a program of the same user can forge, and its `sender` is the identity that the client chose. Neither one
    /// proves anything.
    public let client: RuntimeEvent.Client
    /// The identifier of the feature.
    public let feature: String
    /// The instance key. It is empty for a feature's only instance.
    public let instance: String

    /// Creates a request.
    public init(client: RuntimeEvent.Client, feature: String, instance: String = "") {
        self.client = client
        self.feature = feature
        self.instance = instance
    }
}
