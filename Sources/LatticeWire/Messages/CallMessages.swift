import LatticeCoding

// The messages of calls between nodes, on channel 0. A node is one process, which answers calls of its actors.

/// Calls a method of an actor, or asks the actor's node for something about it.
package struct ActorCall: WireMessageBody {
    package static let kind = MessageKind.actorCall

    /// The number of the call, above 0. It grows with each call that the sender makes or passes on in the session.
    package var call: UInt64
    /// The number of the actor in its node. For ``NodeOperation/ask`` it is the number of a channel.
    package var actor: UInt64
    /// The method, or an operation of the node.
    package var method: CallMethod
    /// The encoded arguments in a row (a CBOR sequence, RFC 8742).
    package var arguments: [UInt8]
    /// The node of the actor; nil if it is the receiver.
    package var node: [UInt8]?
    /// The types with which a generic method is called.
    package var substitutions: [String]?
    /// The deadline, trace and event of the call; nil if it has none of them.
    package var context: TravelContext?
    /// The number of the process for which a coordinator passes the call on; nil for a call of the sender's own.
    package var caller: UInt64?

    package init(
        call: UInt64,
        actor: UInt64,
        method: CallMethod,
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
        self.init(call: 0, actor: 0, method: .named(""))
    }

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "call", &call, .number(in: 1...MessageLimits.maximumGrowing))
        try coder.field(2, "actor", &actor, .unsigned)
        try coder.field(3, "method", &method, .target)
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

/// The end of a call. Exactly one such message ends each call.
package struct ActorReply: WireMessageBody {
    package static let kind = MessageKind.actorReply

    /// The number of the call.
    package var call: UInt64
    /// How the call ended.
    package var code: ReplyCode
    /// The value that the method returned, or the error that it threw; nil if it returns nothing, or if there is no
    /// such value.
    package var value: [UInt8]?
    /// The name of the type of the error that the method threw.
    package var type: String?
    /// The reason why the method has not answered, in one sentence.
    package var reason: String?
    /// Not 0 if the method may have begun. Nil if it has not begun, and if it has returned or thrown.
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

    /// A Boolean value that indicates whether the method may have begun although it has not answered.
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

/// Asks the receiver to end a call. The call is answered in any case.
package struct ActorCancel: WireMessageBody {
    package static let kind = MessageKind.actorCancel

    /// The number of the call.
    package var call: UInt64 = 0

    package init(call: UInt64) {
        self.call = call
    }

    package init() {}

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "call", &call, .number(in: 1...MessageLimits.maximumGrowing))
    }
}

/// The next elements of the stream with which the sender answers a call. The call ends with its reply.
package struct ActorElements: WireMessageBody {
    package static let kind = MessageKind.actorElements

    /// The number of the call.
    package var call: UInt64
    /// The encoded elements in a row (a CBOR sequence, RFC 8742). Empty in the first message, which says that the
    /// answer is a stream.
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

/// Allows the other side to send more bytes of a stream's elements.
package struct ActorCredit: WireMessageBody {
    package static let kind = MessageKind.actorCredit

    /// The number of the call.
    package var call: UInt64 = 0
    /// The number of bytes that the sender may send in addition.
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

/// How a call ended. It is an open set, like all codes. For an unknown number, the reason says more.
package struct ReplyCode: RawRepresentable, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The method returned.
    package static let returned = ReplyCode(rawValue: 0)
    /// The method threw an error, which is in the value.
    package static let threw = ReplyCode(rawValue: 1)
    /// The method threw an error that is not sent, except for its type.
    package static let failed = ReplyCode(rawValue: 2)
    /// The method ended because it was cancelled.
    package static let cancelled = ReplyCode(rawValue: 3)
    /// There is no such actor, or it has ended.
    package static let noActor = ReplyCode(rawValue: 4)
    /// The actor has no such method, or the method cannot be called from other nodes.
    package static let noMethod = ReplyCode(rawValue: 5)
    /// The arguments cannot be read.
    package static let undecodable = ReplyCode(rawValue: 6)
    /// Too much is under way.
    package static let overloaded = ReplyCode(rawValue: 7)
    /// The deadline passed.
    package static let deadline = ReplyCode(rawValue: 8)
    /// The value that the method returned is larger than the limit.
    package static let tooLarge = ReplyCode(rawValue: 9)
    /// The node has ended.
    package static let lost = ReplyCode(rawValue: 10)
    /// There is no such node.
    package static let noNode = ReplyCode(rawValue: 11)
    /// No actor serves this name.
    package static let noName = ReplyCode(rawValue: 12)
    /// The call has no meaning at this node.
    package static let refused = ReplyCode(rawValue: 13)
    /// The value that the method returned cannot be encoded.
    package static let unencodable = ReplyCode(rawValue: 14)
    /// Two incarnations of the process that was to answer have ended while they answered.
    package static let interrupted = ReplyCode(rawValue: 15)
}

extension FieldType<CallMethod> {
    /// The name of a method as text, or an operation as a number.
    static var target: FieldType {
        FieldType(
            write: { method, fields in
                switch method {
                case .named(let name): FieldType<String>.method.write(name, &fields)
                case .operation(let operation): FieldType<NodeOperation>.code.write(operation, &fields)
                }
            },
            read: { reader, field throws(CBORError) in
                guard try reader.peek() == .unsigned else {
                    return .named(try FieldType<String>.method.read(&reader, field))
                }
                return .operation(try FieldType<NodeOperation>.code.read(&reader, field))
            }
        )
    }
}

extension FieldType<String> {
    /// The name of a method or a type.
    static var method: FieldType { text(1...MessageLimits.maximumMethod) }
}
