// What nodes ask each other, on channel 0. A node is one life of one process; it takes calls for what lives there.

/// Calls a method of an actor, or of the node itself.
package struct ActorCall: WireMessageBody {
    package static let kind = MessageKind.actorCall

    /// The number, above 0: it grows with every call that its sender makes or passes on in the session.
    package var call: UInt64
    /// Which actor of the node; 0 is the node itself.
    package var actor: UInt64
    package var method: String
    /// The encoded arguments, one behind the other (a CBOR sequence, RFC 8742).
    package var arguments: [UInt8]
    /// The node whose actor it is, where it is not the receiver's.
    package var node: [UInt8]?
    /// The types that a generic method is called with.
    package var substitutions: [String]?
    /// Nil: nothing travels with it.
    package var context: TravelContext?
    /// The number of the caller on whose behalf a coordinator passes the call on; nil for a call of the sender's own.
    package var caller: UInt64?

    package init(
        call: UInt64,
        actor: UInt64,
        method: String,
        arguments: [UInt8] = [],
        node: [UInt8]? = nil,
        substitutions: [String]? = nil,
        context: TravelContext? = nil,
        caller: UInt64? = nil
    ) {
        self.call = call
        self.actor = actor
        self.method = method
        self.arguments = arguments
        self.node = node
        self.substitutions = substitutions
        self.context = context
        self.caller = caller
    }

    package init() {
        self.init(call: 0, actor: 0, method: "")
    }

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "call", &call, .number(in: 1...MessageLimits.maximumGrowing))
        try coder.field(2, "actor", &actor, .unsigned)
        try coder.field(3, "method", &method, .method)
        try coder.field(4, "arguments", &arguments, .payload)
        try coder.optional(5, "node", &node, .identity())
        try coder.optional(
            6,
            "substitutions",
            &substitutions,
            .list(.method, maximum: MessageLimits.maximumSubstitutions)
        )
        try coder.optional(7, "context", &context, .value)
        try coder.optional(8, "caller", &caller, .number(in: 1...MessageLimits.maximumGrowing))
    }
}

/// The end of a call: exactly one of these ends each.
package struct ActorReply: WireMessageBody {
    package static let kind = MessageKind.actorReply

    package var call: UInt64
    package var code: ReplyCode
    /// What the method returned, or the error that it threw; nil for one that returns nothing, and if it cannot be had.
    package var value: [UInt8]?
    /// The name of the type of the error that it threw.
    package var type: String?
    /// Why there is no answer of the method, in one sentence.
    package var reason: String?
    /// Not 0: the method may have begun. Nil: it has not, or it has returned or thrown.
    package var begun: UInt8?

    package init(
        call: UInt64,
        code: ReplyCode,
        value: [UInt8]? = nil,
        type: String? = nil,
        reason: String? = nil,
        mayHaveBegun: Bool = false
    ) {
        self.call = call
        self.code = code
        self.value = value
        self.type = type
        self.reason = reason
        begun = mayHaveBegun ? 1 : nil
    }

    package init() {
        self.init(call: 0, code: .returned)
    }

    package var mayHaveBegun: Bool { begun ?? 0 != 0 }

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "call", &call, .number(in: 1...MessageLimits.maximumGrowing))
        try coder.field(2, "code", &code, .code)
        try coder.optional(3, "value", &value, .payload)
        try coder.optional(4, "type", &type, .sentence)
        try coder.optional(5, "reason", &reason, .sentence)
        try coder.optional(6, "begun", &begun, .unsigned)
    }
}

/// Asks for the end of a call, which is answered all the same.
package struct ActorCancel: WireMessageBody {
    package static let kind = MessageKind.actorCancel

    package var call: UInt64 = 0

    package init(call: UInt64) {
        self.call = call
    }

    package init() {}

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "call", &call, .number(in: 1...MessageLimits.maximumGrowing))
    }
}

/// The next elements of the stream with which the receiver answers a call; the call ends with its reply.
package struct ActorElements: WireMessageBody {
    package static let kind = MessageKind.actorElements

    package var call: UInt64
    /// The encoded elements, one behind the other (a CBOR sequence, RFC 8742). Empty: the answer is a stream.
    package var elements: [UInt8]

    package init(call: UInt64, elements: [UInt8]) {
        self.call = call
        self.elements = elements
    }

    package init() {
        self.init(call: 0, elements: [])
    }

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "call", &call, .number(in: 1...MessageLimits.maximumGrowing))
        try coder.field(2, "elements", &elements, .payload)
    }
}

/// Lets the other side send so many more bytes of a stream's elements.
package struct ActorCredit: WireMessageBody {
    package static let kind = MessageKind.actorCredit

    package var call: UInt64 = 0
    package var bytes: UInt64 = 0

    package init(call: UInt64, bytes: UInt64) {
        self.call = call
        self.bytes = bytes
    }

    package init() {}

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "call", &call, .number(in: 1...MessageLimits.maximumGrowing))
        try coder.field(2, "bytes", &bytes, .number(in: 1...MessageLimits.maximumGrowing))
    }
}

/// How a call ended. An open set, as all codes are: of a number that is not known the reason tells the rest.
package struct ReplyCode: RawRepresentable, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The method returned.
    package static let returned = ReplyCode(rawValue: 0)
    /// The method threw an error, which is in the value.
    package static let threw = ReplyCode(rawValue: 1)
    /// The method threw an error that is not told, but for its type.
    package static let failed = ReplyCode(rawValue: 2)
    /// The method ended because it was cancelled.
    package static let cancelled = ReplyCode(rawValue: 3)
    /// There is no such actor: it has ended, or there was none.
    package static let noActor = ReplyCode(rawValue: 4)
    /// The actor has no such method, or it is not one to be called from elsewhere.
    package static let noMethod = ReplyCode(rawValue: 5)
    /// The arguments cannot be read.
    package static let undecodable = ReplyCode(rawValue: 6)
    /// Too much is under way.
    package static let overloaded = ReplyCode(rawValue: 7)
    /// The deadline passed.
    package static let deadline = ReplyCode(rawValue: 8)
    /// What the method returned is larger than what is sent.
    package static let tooLarge = ReplyCode(rawValue: 9)
    /// The node went away.
    package static let lost = ReplyCode(rawValue: 10)
    /// There is no such node.
    package static let noNode = ReplyCode(rawValue: 11)
    /// Nobody serves such a name.
    package static let noName = ReplyCode(rawValue: 12)
    /// It makes no sense here.
    package static let refused = ReplyCode(rawValue: 13)
    /// What the method returned cannot be encoded.
    package static let unencodable = ReplyCode(rawValue: 14)
    /// Two lives of what was to answer have ended in doing so.
    package static let interrupted = ReplyCode(rawValue: 15)
}

extension FieldType<String> {
    /// The name of a method or a type.
    static var method: FieldType { text(1...MessageLimits.maximumMethod) }
}
