/// How an event ended.
package enum WireOutcome: Sendable, Hashable {
    /// It was applied, and everything that it started has ended.
    case finished
    /// Something that it started failed, and nothing caught it.
    indirect case failed(type: String, message: String)
    case cancelled
    /// It was never applied.
    indirect case rejected(code: RejectionCode, reason: String)
    /// It was applied, and the worker died before everything that it started had ended.
    indirect case interrupted(cause: WireCause, incarnation: UInt64)
    /// Nobody knows any more whether it was applied, or how it ended.
    indirect case unknown(reason: String)
    /// One of a later version, with its sentence.
    indirect case other(number: UInt64, sentence: String)

    func encode(into writer: inout CBORWriter) {
        switch self {
        case .finished:
            writer.append(arrayHeader: 1)
            writer.append(unsigned: 0)
        case .failed(let type, let message):
            writer.append(arrayHeader: 3)
            writer.append(unsigned: 1)
            writer.append(text: MessageLimits.trimmed(type))
            writer.append(text: MessageLimits.trimmed(message))
        case .cancelled:
            writer.append(arrayHeader: 1)
            writer.append(unsigned: 2)
        case .rejected(let code, let reason):
            writer.append(arrayHeader: 3)
            writer.append(unsigned: 3)
            writer.append(unsigned: UInt64(code.rawValue))
            writer.append(text: MessageLimits.trimmed(reason))
        case .interrupted(let cause, let incarnation):
            writer.append(arrayHeader: 3)
            writer.append(unsigned: 4)
            cause.encode(into: &writer)
            writer.append(unsigned: incarnation)
        case .unknown(let reason):
            writer.append(arrayHeader: 2)
            writer.append(unsigned: 5)
            writer.append(text: MessageLimits.trimmed(reason))
        case .other(let number, let sentence):
            writer.append(arrayHeader: 2)
            writer.append(unsigned: number)
            writer.append(text: MessageLimits.trimmed(sentence))
        }
    }

    /// Reads one outcome and moves the reader behind it.
    init(reading reader: inout CBORReader) throws(WireError) {
        var variant = try VariantReader(&reader, "outcome")
        switch variant.number {
        case 0:
            self = .finished
        case 1:
            let type = try variant.sentence("type", &reader)
            self = .failed(type: type, message: try variant.sentence("message", &reader))
        case 2:
            self = .cancelled
        case 3:
            let raw = try variant.unsigned("code", &reader)
            guard let code = UInt8(exactly: raw) else { throw .badValue(raw, field: "code") }
            self = .rejected(
                code: RejectionCode(rawValue: code),
                reason: try variant.sentence("reason", &reader)
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
