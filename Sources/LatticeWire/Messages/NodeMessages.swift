import LatticeCoding

// The arguments and results of what a node is asked for itself: calls of actor 0. Each takes one argument.

/// The methods of a node, by the names that calls have.
package enum NodeMethod: String, Sendable, CaseIterable {
    /// An actor of the caller's node has a name from now on: ``NamedActor``. At a coordinator.
    case publish
    /// It has the name no longer: ``NamedActor``. At a coordinator.
    case withdraw
    /// Which actor has a name: ``NameSearch``; returns ``ActorPlace``. At a coordinator.
    case find
    /// Who serves a name, when that is not what the caller knows: ``ServerSearch``; returns ``ServerList``. At a
    /// coordinator.
    case servers
    /// Returns when an actor of this node has ended, at once if there is none: ``ActorOfNode``. That of the node itself
    /// never returns.
    case ended
    /// Asks the feature that runs behind a channel of the session: ``ChannelQuestion``; returns the encoded answer. At
    /// whoever serves the channel.
    case ask
    /// Which methods an actor of this node has by stable names: ``ActorOfNode``; returns ``StableMethodList``.
    case methods
}

/// A question to the feature behind a channel of the session on which it travels.
package struct ChannelQuestion: FieldedBody, Equatable, Sendable {
    package static let name = "a question"

    package var channel: UInt32 = 0
    /// As the feature encodes it.
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

/// An actor of the node that says so, and a name.
package struct NamedActor: FieldedBody, Equatable, Sendable {
    package static let name = "a named actor"

    package var identifier = ""
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

/// What is looked for, and for how long.
package struct NameSearch: FieldedBody, Equatable, Sendable {
    package static let name = "a search for a name"

    package var identifier = ""
    /// How long to wait for somebody to serve it; 0: not at all.
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

/// Where an actor is.
package struct ActorPlace: FieldedBody, Equatable, Sendable {
    package static let name = "the place of an actor"

    /// The node that it lives in: 16 bytes.
    package var node: [UInt8] = []
    package var actor: UInt64 = 0
    /// Which life of the node's worker that is; 0 for what has no lives.
    package var incarnation: UInt64 = 0
    /// The node, for people.
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

/// Whose name, and what is known of who serves it.
package struct ServerSearch: FieldedBody, Equatable, Sendable {
    package static let name = "a search for those who serve a name"

    package var identifier = ""
    /// The version of the list that the caller knows; 0: none.
    package var known: UInt64 = 0
    /// How long to wait for another one.
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

/// All who serve a name.
package struct ServerList: FieldedBody, Equatable, Sendable {
    package static let name = "a list of those who serve a name"

    /// Another list has another one.
    package var version: UInt64 = 0
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

/// Whose end is awaited, or whose methods are asked for.
package struct ActorOfNode: FieldedBody, Equatable, Sendable {
    package static let name = "an actor of a node"

    package var actor: UInt64 = 0

    package init(actor: UInt64) {
        self.actor = actor
    }

    package init() {}

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "actor", &actor, .unsigned)
    }
}

/// The methods of an actor that have stable names; none: it is called by the compiler's.
package struct StableMethodList: FieldedBody, Equatable, Sendable {
    package static let name = "a list of methods"

    package var methods: [StableMethodEntry] = []

    package init(methods: [StableMethodEntry]) {
        self.methods = methods
    }

    package init() {}

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "methods", &methods, .list(.value, maximum: MessageLimits.maximumStableMethods))
    }
}

/// One of them.
package struct StableMethodEntry: FieldedBody, Equatable, Sendable {
    package static let name = "a method"

    package var identifier = ""
    /// Of its signature: two that are the same have the same.
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
    /// Alone, as an argument or a result.
    package var bytes: [UInt8] {
        var fields = FieldWriter(leavingOutPayload: false)
        fields.write(self)
        return fields.writer.bytes
    }

    /// - Throws: ``WireError`` if it is something else.
    package init(bytes: [UInt8]) throws(WireError) {
        self = try bytes.withBytes { bytes throws(WireError) in try Self(decoding: bytes) }
    }
}
