import LatticeCoding

// The arguments and results of the methods of a node itself, which are calls of actor 0. Each method has one argument.

/// The methods of a node, by the names that they have in calls.
package enum NodeMethod: String, Sendable, CaseIterable {
    /// Publishes a name for an actor of the caller's node. The argument is ``NamedActor``. Coordinators have this
    /// method.
    case publish
    /// Withdraws a name. The argument is ``NamedActor``. Coordinators have this method.
    case withdraw
    /// Finds an actor that serves a name. The argument is ``NameSearch``, and the result is ``ActorPlace``.
    /// Coordinators have this method.
    case find
    /// Lists the actors that serve a name, as soon as the list differs from the one that the caller knows. The argument
    /// is ``ServerSearch``, and the result is ``ServerList``. Coordinators have this method.
    case servers
    /// Returns when an actor of this node has ended, or at once if there is no such actor. It never returns for the
    /// node itself. The argument is ``ActorOfNode``.
    case ended
    /// Asks the feature that is served on a channel of the session. The argument is ``ChannelQuestion``, and the result
    /// is the encoded answer. The server of the channel has this method.
    case ask
    /// Lists the methods that an actor of this node has by stable names. The argument is ``ActorOfNode``, and the
    /// result is ``StableMethodList``.
    case methods
}

/// A question to the feature on a channel of the session on which the question travels.
package struct ChannelQuestion: FieldedBody, Equatable, Sendable {
    package static let name = "a question"

    /// The number of the channel.
    package var channel: UInt32 = 0
    /// The question, as the feature encodes it.
    package var question: [UInt8] = []

    package init(channel: UInt32, question: [UInt8]) {
        self.channel = channel
        self.question = question
    }

    package init() {}

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "channel", &channel, .number(in: 1...UInt32.max))
        try coder.field(2, "question", &question, .payload)
    }
}

/// A name, and the actor of the sender's node that serves it.
package struct NamedActor: FieldedBody, Equatable, Sendable {
    package static let name = "a named actor"

    /// The name.
    package var identifier = ""
    /// The number of the actor in its node.
    package var actor: UInt64 = 0

    package init(identifier: String, actor: UInt64) {
        self.identifier = identifier
        self.actor = actor
    }

    package init() {}

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "identifier", &identifier, .identifier)
        try coder.field(2, "actor", &actor, .unsigned)
    }
}

/// A search for an actor by its name.
package struct NameSearch: FieldedBody, Equatable, Sendable {
    package static let name = "a search for a name"

    /// The name.
    package var identifier = ""
    /// The time in milliseconds to wait for an actor that serves the name; 0 to return at once.
    package var waitMilliseconds: UInt64 = 0

    package init(identifier: String, waitMilliseconds: UInt64) {
        self.identifier = identifier
        self.waitMilliseconds = waitMilliseconds
    }

    package init() {}

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "identifier", &identifier, .identifier)
        try coder.field(2, "waitMilliseconds", &waitMilliseconds, .unsigned)
    }
}

/// The place of an actor.
package struct ActorPlace: FieldedBody, Equatable, Sendable {
    package static let name = "the place of an actor"

    /// The node in which the actor lives, 16 bytes.
    package var node: [UInt8] = []
    /// The number of the actor in its node.
    package var actor: UInt64 = 0
    /// The incarnation of the node's worker, or 0 for a node that is not a worker.
    package var incarnation: UInt64 = 0
    /// A description of the node for people.
    package var title = ""

    package init(node: [UInt8], actor: UInt64, incarnation: UInt64, title: String) {
        self.node = node
        self.actor = actor
        self.incarnation = incarnation
        self.title = title
    }

    package init() {}

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "node", &node, .identity())
        try coder.field(2, "actor", &actor, .unsigned)
        try coder.field(3, "incarnation", &incarnation, .unsigned)
        try coder.field(4, "title", &title, .sentence)
    }
}

/// A search for all actors that serve a name.
package struct ServerSearch: FieldedBody, Equatable, Sendable {
    package static let name = "a search for those who serve a name"

    /// The name.
    package var identifier = ""
    /// The version of the list that the caller knows, or 0 if it knows none.
    package var known: UInt64 = 0
    /// The time in milliseconds to wait for a list of another version.
    package var waitMilliseconds: UInt64 = 0

    package init(identifier: String, known: UInt64, waitMilliseconds: UInt64) {
        self.identifier = identifier
        self.known = known
        self.waitMilliseconds = waitMilliseconds
    }

    package init() {}

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "identifier", &identifier, .identifier)
        try coder.field(2, "known", &known, .unsigned)
        try coder.field(3, "waitMilliseconds", &waitMilliseconds, .unsigned)
    }
}

/// The list of all actors that serve a name.
package struct ServerList: FieldedBody, Equatable, Sendable {
    package static let name = "a list of those who serve a name"

    /// The version of the list. Each list has another version.
    package var version: UInt64 = 0
    /// The places of the actors.
    package var places: [ActorPlace] = []

    package init(version: UInt64, places: [ActorPlace]) {
        self.version = version
        self.places = places
    }

    package init() {}

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "version", &version, .unsigned)
        try coder.field(2, "places", &places, .list(.value, maximum: MessageLimits.maximumServers))
    }
}

/// The actor of a node whose end is awaited or whose methods are requested.
package struct ActorOfNode: FieldedBody, Equatable, Sendable {
    package static let name = "an actor of a node"

    /// The number of the actor in its node.
    package var actor: UInt64 = 0

    package init(actor: UInt64) {
        self.actor = actor
    }

    package init() {}

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "actor", &actor, .unsigned)
    }
}

/// The methods of an actor that have stable names. It is empty for an actor that is called by the compiler's names.
package struct StableMethodList: FieldedBody, Equatable, Sendable {
    package static let name = "a list of methods"

    /// The methods.
    package var methods: [StableMethodEntry] = []

    package init(methods: [StableMethodEntry]) {
        self.methods = methods
    }

    package init() {}

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "methods", &methods, .list(.value, maximum: MessageLimits.maximumStableMethods))
    }
}

/// A method with a stable name.
package struct StableMethodEntry: FieldedBody, Equatable, Sendable {
    package static let name = "a method"

    /// The stable name.
    package var identifier = ""
    /// The digest of the signature. Equal signatures have equal digests.
    package var digest: UInt64 = 0
    /// The signature itself, for people.
    package var signature: String?

    package init(identifier: String, digest: UInt64, signature: String?) {
        self.identifier = identifier
        self.digest = digest
        self.signature = signature
    }

    package init() {}

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "identifier", &identifier, .method)
        try coder.field(2, "digest", &digest, .unsigned)
        try coder.optional(3, "signature", &signature, .sentence)
    }
}

extension FieldedBody {
    /// The encoded body alone, for use as an argument or a result.
    package var bytes: [UInt8] {
        var fields = FieldWriter(leavingOutPayload: false)
        fields.write(self)
        return fields.writer.bytes
    }

    /// Reads the body from an argument or a result.
    ///
    /// - Throws: ``WireError`` if the bytes are something else.
    package init(bytes: [UInt8]) throws(WireError) {
        self = try bytes.withBytes { bytes throws(WireError) in try Self(decoding: bytes) }
    }
}
