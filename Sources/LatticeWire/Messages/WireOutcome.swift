package import LatticeCoding

/// How an event ended.
package enum WireOutcome: FieldValue, Sendable, Hashable {
    /// It was applied, and everything that it started has ended.
    case finished
    /// Something that it started failed, and nothing handled the error.
    indirect case failed(type: String, message: String)
    /// It was cancelled.
    indirect case cancelled(WireCancellation)
    /// It was never applied. The value is an encoded value of the feature, or nil if it has given none.
    indirect case rejected(code: RejectionCode, reason: String, value: [UInt8]? = nil)
    /// It was applied, and the worker died before everything that it started had ended.
    indirect case interrupted(cause: WireCause, incarnation: UInt64)
    /// No process knows any more whether it was applied, or how it ended.
    indirect case unknown(reason: String)
    /// An outcome of a later version, with its sentence.
    indirect case other(number: UInt64, sentence: String)

    /// The outcome of an event of whose cancellation nothing is known.
    package static var cancelled: WireOutcome { .cancelled(WireCancellation()) }

    package func encode(into writer: inout CBORWriter) {
        switch self {
        case .finished:
            writer.append(variant: 0)
        case .failed(let type, let message):
            writer.append(variant: 1, values: 2)
            writer.append(sentence: type)
            writer.append(sentence: message)
        case .cancelled(let cancellation):
            cancellation.encode(asVariant: 2, into: &writer)
        case .rejected(let code, let reason, let value):
            writer.append(variant: 3, values: value == nil ? 2 : 3)
            writer.append(integer: code.rawValue)
            writer.append(sentence: reason)
            if let value { writer.append(bytes: value) }
        case .interrupted(let cause, let incarnation):
            writer.append(variant: 4, values: 2)
            cause.encode(into: &writer)
            writer.append(integer: incarnation)
        case .unknown(let reason):
            writer.append(variant: 5, values: 1)
            writer.append(sentence: reason)
        case .other(let number, let sentence):
            writer.append(variant: number, values: 1)
            writer.append(sentence: sentence)
        }
    }

    package init(reading reader: inout CBORReader) throws(CBORError) {
        var variant = try VariantReader(&reader, "outcome")
        switch variant.number {
        case 0:
            self = .finished
        case 1:
            let type = try variant.sentence("type", &reader)
            self = .failed(type: type, message: try variant.sentence("message", &reader))
        case 2:
            self = .cancelled(try WireCancellation(reading: &variant, &reader))
        case 3:
            let raw = try variant.unsigned("code", &reader)
            guard let code = UInt8(exactly: raw) else { throw .badValue(raw, field: "code") }
            self = .rejected(
                code: RejectionCode(rawValue: code),
                reason: try variant.sentence("reason", &reader),
                value: try variant.optionalBytes("value", atMost: MessageLimits.maximumRejectionValue, &reader)
            )
        case 4:
            try variant.take("cause")
            let cause = try WireCause(reading: &reader)
            self = .interrupted(cause: cause, incarnation: try variant.unsigned("incarnation", &reader))
        case 5:
            self = .unknown(reason: try variant.sentence("reason", &reader))
        default:
            self = .other(number: variant.number, sentence: try variant.firstSentence(&reader))
        }
        try variant.finish(&reader)
    }
}

/// How a worker process ended.
package enum WireCause: FieldValue, Sendable, Hashable {
    /// It exited with this code.
    case exit(Int32)
    /// This signal killed it.
    case signal(Int32)
    /// It stopped answering.
    case hang
    /// It exceeded the limit with this name.
    case limit(String)
    /// Its session ended, and nothing else is known.
    case disconnected
    /// It could not be started, because resources were lacking, for this reason.
    case lackOfResources(String)
    /// Its group, which has this name, ended it in an orderly way.
    case group(String)
    /// Its exit status was lost, for this reason.
    case statusLost(String)
    /// A tool asked the coordinator to end the worker in an orderly way: who did it.
    case requested(String)
    /// A cause of a later version, with its sentence.
    case other(number: UInt64, sentence: String)

    package func encode(into writer: inout CBORWriter) {
        switch self {
        case .exit(let code):
            writer.append(variant: 1, values: 1)
            writer.append(integer: code)
        case .signal(let number):
            writer.append(variant: 2, values: 1)
            writer.append(integer: number)
        case .hang:
            writer.append(variant: 3)
        case .limit(let name):
            writer.append(variant: 4, values: 1)
            writer.append(sentence: name)
        case .disconnected:
            writer.append(variant: 5)
        case .lackOfResources(let reason):
            writer.append(variant: 6, values: 1)
            writer.append(sentence: reason)
        case .group(let name):
            writer.append(variant: 7, values: 1)
            writer.append(sentence: name)
        case .statusLost(let reason):
            writer.append(variant: 8, values: 1)
            writer.append(sentence: reason)
        case .requested(let requester):
            writer.append(variant: 9, values: 1)
            writer.append(sentence: requester)
        case .other(let number, let sentence):
            writer.append(variant: number, values: 1)
            writer.append(sentence: sentence)
        }
    }

    package init(reading reader: inout CBORReader) throws(CBORError) {
        var variant = try VariantReader(&reader, "cause")
        switch variant.number {
        case 1: self = .exit(try variant.int32("code", &reader))
        case 2: self = .signal(try variant.int32("signal", &reader))
        case 3: self = .hang
        case 4: self = .limit(try variant.sentence("limit", &reader))
        case 5: self = .disconnected
        case 6: self = .lackOfResources(try variant.sentence("lackOfResources", &reader))
        case 7: self = .group(try variant.sentence("group", &reader))
        case 8: self = .statusLost(try variant.sentence("statusLost", &reader))
        case 9: self = .requested(try variant.sentence("requested", &reader))
        default: self = .other(number: variant.number, sentence: try variant.firstSentence(&reader))
        }
        try variant.finish(&reader)
    }
}
