// The messages of a session itself, behind its handshake.

/// The last message of a session.
package struct Goodbye: WireMessageBody {
    package static let kind = MessageKind.goodbye

    package var code: GoodbyeCode = GoodbyeCode.normal
    /// Why, in one sentence.
    package var reason: String = ""

    package init(code: GoodbyeCode, reason: String) {
        self.code = code
        self.reason = reason
    }

    package init() {}

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "code", &code, .code)
        try coder.field(2, "reason", &reason, .sentence)
    }
}

/// Asks the other side for a sign of life.
package struct Ping: WireMessageBody {
    package static let kind = MessageKind.ping

    /// Comes back in the pong.
    package var number: UInt64 = 0

    package init(number: UInt64) {
        self.number = number
    }

    package init() {}

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "number", &number, .unsigned)
    }
}

/// A sign of life, from the thread that does the work.
package struct Pong: WireMessageBody {
    package static let kind = MessageKind.pong

    /// The number that answers no ping: the thread is held up by a large value, and goes on.
    package static let unasked: UInt64 = 0

    /// The number of the ping that this answers, or ``unasked``.
    package var number: UInt64 = 0
    /// What keeps the sender from its work although it answers, in one sentence; nil: nothing.
    package var problem: String?

    package init(number: UInt64, problem: String? = nil) {
        self.number = number
        self.problem = problem
    }

    package init() {}

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "number", &number, .unsigned)
        try coder.optional(2, "problem", &problem, .sentence)
    }
}

/// Asks the other side to finish what is running and to take nothing new.
package struct Drain: WireMessageBody {
    package static let kind = MessageKind.drain

    /// How long that may take; what runs after it is cancelled.
    package var timeoutMilliseconds: UInt32 = 0

    package init(timeoutMilliseconds: UInt32) {
        self.timeoutMilliseconds = timeoutMilliseconds
    }

    package init() {}

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "timeoutMilliseconds", &timeoutMilliseconds, .unsigned)
    }
}

/// Says that everything that was running has ended.
package struct Drained: WireMessageBody {
    package static let kind = MessageKind.drained

    package init() {}

    package func fields<Coder: FieldCoder>(_ coder: inout Coder) {}
}

/// Asks what the other side serves, whom, and how long its queues are.
package struct Describe: WireMessageBody {
    package static let kind = MessageKind.describe

    package init() {}

    package func fields<Coder: FieldCoder>(_ coder: inout Coder) {}
}

/// The answer to a describe.
package struct Description: WireMessageBody {
    package static let kind = MessageKind.description

    /// One encoded CBOR map with text keys, for people and tools; who only passes it on does not decode it.
    package var payload: [UInt8] = []

    package init(payload: [UInt8]) {
        self.payload = payload
    }

    package init() {}

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "payload", &payload, .payload)
    }
}
