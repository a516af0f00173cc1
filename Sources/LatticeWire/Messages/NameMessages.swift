import LatticeCoding

// The messages about the names of actors, on channel 0. A node sends them to its coordinator, which knows all names,
// and the coordinator answers with *nameList*.

/// Tells the coordinator that an actor of the sender's node serves a name.
package struct NamePublish: WireMessageBody, Equatable {
    package static let kind = MessageKind.namePublish

    /// The name.
    package var identifier: String
    /// The number of the actor in its node.
    package var actor: UInt64

    package init(identifier: String, actor: UInt64) {
        self.identifier = identifier
        self.actor = actor
    }

    package init() {
        self.init(identifier: "", actor: 0)
    }

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "identifier", &identifier, .identifier)
        try coder.field(2, "actor", &actor, .unsigned)
    }
}

/// Tells the coordinator that no actor of the sender's node serves a name any more.
package struct NameWithdraw: WireMessageBody, Equatable {
    package static let kind = MessageKind.nameWithdraw

    /// The name.
    package var identifier: String

    package init(identifier: String) {
        self.identifier = identifier
    }

    package init() {
        self.init(identifier: "")
    }

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "identifier", &identifier, .identifier)
    }
}

/// Asks the coordinator for the actors that serve a name, now and after each change, until *nameUnwatch*.
package struct NameWatch: WireMessageBody, Equatable {
    package static let kind = MessageKind.nameWatch

    /// The number of the watch, above 0. It grows with each watch that the sender begins in the session.
    package var watch: UInt64
    /// The name.
    package var identifier: String

    package init(watch: UInt64, identifier: String) {
        self.watch = watch
        self.identifier = identifier
    }

    package init() {
        self.init(watch: 0, identifier: "")
    }

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "watch", &watch, .number(in: 1...MessageLimits.maximumGrowing))
        try coder.field(2, "identifier", &identifier, .identifier)
    }
}

/// Ends a watch. Lists that are on their way may still arrive.
package struct NameUnwatch: WireMessageBody, Equatable {
    package static let kind = MessageKind.nameUnwatch

    /// The number of the watch.
    package var watch: UInt64 = 0

    package init(watch: UInt64) {
        self.watch = watch
    }

    package init() {}

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "watch", &watch, .number(in: 1...MessageLimits.maximumGrowing))
    }
}

/// The actors that serve a watched name: all of them, not the changes.
package struct NameList: WireMessageBody, Equatable {
    package static let kind = MessageKind.nameList

    /// The number of the watch.
    package var watch: UInt64
    /// The places of the actors. The actor whose turn it is comes first.
    package var places: [ActorPlace]

    package init(watch: UInt64, places: [ActorPlace]) {
        self.watch = watch
        self.places = places
    }

    package init() {
        self.init(watch: 0, places: [])
    }

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "watch", &watch, .number(in: 1...MessageLimits.maximumGrowing))
        try coder.field(2, "places", &places, .list(.value, maximum: MessageLimits.maximumServers))
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
