import LatticeCoding

/// What a call asks for.
package enum CallMethod: Sendable, Hashable {
    /// A method of an actor.
    case named(String)
    /// An operation of the node itself, about one of its actors or channels.
    case operation(NodeOperation)

    /// The name of the method, or what the node is asked for in a word.
    package var name: String {
        switch self {
        case .named(let name): name
        case .operation(.ended): "ended"
        case .operation(.methods): "methods"
        case .operation(.ask): "ask"
        case .operation(.probe): "probe"
        case .operation(let operation): "operation \(operation.rawValue)"
        }
    }
}

/// An operation of a node. It is an open set, like all codes. A node refuses what it does not know.
package struct NodeOperation: RawRepresentable, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Returns when an actor of this node has ended, or at once if there is no such actor. For actor 0, it never
    /// returns: the call ends with the node.
    package static let ended = NodeOperation(rawValue: 1)
    /// Lists the methods that an actor of this node has by stable names. The result is ``StableMethodList``.
    package static let methods = NodeOperation(rawValue: 2)
    /// Asks the feature that is served on a channel of the session. The call has the number of the channel in the place
    /// of the actor, and the question, as the feature encodes it, as its arguments. The result is the encoded answer.
    package static let ask = NodeOperation(rawValue: 3)
    /// Returns at once. Its answer comes after the earlier answers to the same caller.
    package static let probe = NodeOperation(rawValue: 4)
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
