/// Asks a coordinator to act: to restart a worker, for example.
package struct OperateMessage: WireMessageBody {
    package static let kind = MessageKind.operate

    /// The number of the request, above 0, which the answer repeats.
    package var request: UInt64 = 0
    /// The name of the act.
    package var act: String = ""
    /// The encoded arguments: one CBOR map with text keys.
    package var arguments: [UInt8] = []

    package init(request: UInt64, act: String, arguments: [UInt8]) {
        self.request = request
        self.act = act
        self.arguments = arguments
    }

    package init() {}

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "request", &request, .number(in: 1...MessageLimits.maximumGrowing))
        try coder.field(2, "act", &act, .text(1...MessageLimits.maximumSection))
        try coder.field(3, "arguments", &arguments, .bytes(1...MessageLimits.maximumArguments))
    }
}

/// The answer to *operate*: what was done, or the reason why nothing was done.
package struct OperatedMessage: WireMessageBody {
    package static let kind = MessageKind.operated

    /// The number of the request.
    package var request: UInt64 = 0
    /// The result of the request.
    package var code: OperationCode = OperationCode.done
    /// A description of what was done, or the reason why nothing was done, for people.
    package var reason: String = ""
    /// The encoded subjects of the act, such as the workers that were restarted: one CBOR array of maps with text keys.
    /// No bytes if `code` is not `done`.
    package var rows: [UInt8] = []

    package init(request: UInt64, _ code: OperationCode, reason: String, rows: [UInt8] = []) {
        self.request = request
        self.code = code
        self.reason = reason
        self.rows = rows
    }

    package init() {}

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "request", &request, .number(in: 1...MessageLimits.maximumGrowing))
        try coder.field(2, "code", &code, .code)
        try coder.field(3, "reason", &reason, .sentence)
        try coder.field(4, "rows", &rows, .bytes(0...MessageLimits.maximumRows))
    }
}
