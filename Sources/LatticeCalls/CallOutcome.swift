package import LatticeWire

/// How a call ended. The message `ActorReply` carries it between processes.
package enum CallOutcome: Sendable, Equatable {
    /// The method returned this encoded value, or nothing.
    case returned([UInt8]?)
    /// The method threw an error that is sent: the name of its type, which is empty if the caller knows it anyway, and
    /// the encoded error.
    case threw(type: String, [UInt8]?)
    /// There is neither a result nor an error that is sent.
    case failed(CallFailure)

    /// Creates a failure.
    package static func failure(
        _ code: ReplyCode,
        _ reason: String? = nil,
        type: String? = nil,
        mayHaveBegun: Bool = false
    ) -> CallOutcome {
        .failed(CallFailure(code, reason, type: type, mayHaveBegun: mayHaveBegun))
    }

    /// The failure, or `nil` if the method returned or threw an error that is sent.
    package var failure: CallFailure? {
        if case .failed(let failure) = self { failure } else { nil }
    }

    /// The code of the reply with this outcome.
    package var code: ReplyCode {
        switch self {
        case .returned: .returned
        case .threw: .threw
        case .failed(let failure): failure.code
        }
    }
}

/// The reason why a call has neither a result nor an error that is sent.
package struct CallFailure: Error, Sendable, Equatable {
    /// The kind of the failure.
    package let code: ReplyCode
    /// The reason in one sentence.
    package let reason: String?
    /// The name of the type of the error that the method threw, for ``ReplyCode/failed``.
    package let type: String?
    /// Whether the method may have begun.
    package var mayHaveBegun: Bool

    /// Creates a failure.
    package init(_ code: ReplyCode, _ reason: String? = nil, type: String? = nil, mayHaveBegun: Bool = false) {
        self.code = code
        self.reason = reason
        self.type = type
        self.mayHaveBegun = mayHaveBegun
    }
}

// MARK: On the wire

extension CallOutcome {
    /// Reads the outcome from a reply.
    init(_ reply: ActorReply) {
        switch reply.code {
        case .returned: self = .returned(reply.value)
        case .threw: self = .threw(type: reply.type ?? "", reply.value)
        default: self = .failure(reply.code, reply.reason, type: reply.type, mayHaveBegun: reply.mayHaveBegun)
        }
    }

    /// Returns the reply that tells a caller the outcome.
    func reply(to call: UInt64) -> ActorReply {
        switch self {
        case .returned(let value):
            ActorReply(call: call, code: .returned, value: value)
        case .threw(let type, let value):
            ActorReply(call: call, code: .threw, value: value, type: type.isEmpty ? nil : type)
        case .failed(let failure):
            ActorReply(
                call: call,
                code: failure.code,
                type: failure.type,
                reason: failure.reason,
                mayHaveBegun: failure.mayHaveBegun
            )
        }
    }
}

extension ActorReply {
    /// Returns the same reply as an answer to another call.
    func to(_ call: UInt64) -> ActorReply {
        var reply = self
        reply.call = call
        return reply
    }
}

// MARK: Failures with their sentences

extension CallOutcome {
    /// The outcome of a call whose deadline has passed.
    ///
    /// - Parameter mayHaveBegun: Whether the call may have begun.
    package static func deadlinePassed(mayHaveBegun: Bool) -> CallOutcome {
        .failed(.deadlinePassed(mayHaveBegun: mayHaveBegun))
    }

    /// The outcome of a call whose answer has no room, because the caller does not read its answers.
    static let unread = failure(
        .overloaded,
        "\(CallLimits.maximumBacklog) bytes of answers wait to be read, which is the maximum; read them sooner, or make"
            + " fewer calls at once",
        mayHaveBegun: true
    )

    /// The outcome of a call of a process that is about to end.
    ///
    /// - Parameter title: The name of the process in messages.
    package static func draining(_ title: String) -> CallOutcome {
        .failure(.lost, "the \(title) is about to end and accepts no more calls")
    }

    /// The outcome of a call of an actor that does not exist.
    ///
    /// - Parameters:
    ///   - number: The number of the actor.
    ///   - title: The name of the process in messages.
    package static func noActor(_ number: UInt64, at title: String) -> CallOutcome {
        .failure(.noActor, "the \(title) has no actor \(number); it has ended or never existed")
    }

    /// The outcome of a question that is refused because too many others are being answered.
    ///
    /// - Parameter maximum: The number of questions that can be answered at the same time.
    package static func tooManyQuestions(_ maximum: Int) -> CallOutcome {
        .failure(.overloaded, "\(maximum) questions are being answered already; wait until some end")
    }

    /// The outcome of a question on a channel that is not open.
    package static func noChannel(_ number: some FixedWidthInteger) -> CallOutcome {
        .failure(.noActor, "channel \(number) is not open")
    }

    /// The outcome of waiting for the end of an actor if too many others wait.
    static let tooManyWait = failure(
        .overloaded,
        "\(CallLimits.maximumWaiters) calls already wait for the ends of actors; wait until some end"
    )
}

extension CallFailure {
    static func noName(_ name: String) -> CallFailure {
        CallFailure(.noName, "no actor has the name \"\(name)\"; host one, or wait for its worker to start")
    }

    static func deadlinePassed(mayHaveBegun: Bool) -> CallFailure {
        CallFailure(.deadline, "the deadline passed", mayHaveBegun: mayHaveBegun)
    }
}
