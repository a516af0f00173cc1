// The messages of a session itself, after its handshake.

/// The last message of a session.
package struct Goodbye: WireMessageBody {
    package static let kind = MessageKind.goodbye

    /// The reason as a code.
    package var code: GoodbyeCode = GoodbyeCode.normal
    /// The reason in one sentence.
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

/// Asks whether the other side is alive.
package struct Ping: WireMessageBody {
    package static let kind = MessageKind.ping

    /// The number of the ping, which the pong repeats.
    package var number: UInt64 = 0

    package init(number: UInt64) {
        self.number = number
    }

    package init() {}

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "number", &number, .unsigned)
    }
}

/// The answer to a ping, from the thread that does the work.
package struct Pong: WireMessageBody {
    package static let kind = MessageKind.pong

    /// The number of a pong that answers no ping. It says that the thread is busy with a large value and makes
    /// progress.
    package static let unasked: UInt64 = 0

    /// The number of the ping that this message answers, or ``unasked``.
    package var number: UInt64 = 0
    /// The problem that keeps the sender from its work although it answers, in one sentence; nil if there is none.
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

/// Asks the other side to finish what is running and to accept nothing new.
package struct Drain: WireMessageBody {
    package static let kind = MessageKind.drain

    /// The time for that in milliseconds. Work that still runs after it is cancelled.
    package var timeoutMilliseconds: UInt32 = 0

    package init(timeoutMilliseconds: UInt32) {
        self.timeoutMilliseconds = timeoutMilliseconds
    }

    package init() {}

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "timeoutMilliseconds", &timeoutMilliseconds, .unsigned)
    }
}

/// Reports that everything that was running has ended.
package struct Drained: WireMessageBody {
    package static let kind = MessageKind.drained

    package init() {}

    package func fields<Coder: FieldCoder>(_ coder: inout Coder) {}
}
