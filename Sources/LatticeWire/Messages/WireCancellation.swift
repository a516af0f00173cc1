package import LatticeCoding

/// The cancellation of an event: its canceller, its reason, and how far the event had come.
package struct WireCancellation: Sendable, Hashable, Codable {
    /// How far the event had come.
    package enum Stage: UInt64, Sendable, Codable {
        /// It is not known whether the event was applied. The stages of later versions are read as this one.
        case unknown = 0
        /// The event was not applied.
        case beforeStart = 1
        /// The event was applied.
        case whileRunning = 2
    }

    /// What cancelled the event.
    package var canceller: WireCanceller
    /// How far the event had come.
    package var stage: Stage
    /// The reason in words, or an empty text.
    package var reason: String

    package init(by canceller: WireCanceller = .unknown, stage: Stage = .unknown, reason: String = "") {
        self.canceller = canceller
        self.stage = stage
        self.reason = reason
    }

    /// Returns the cancellation of an event that had come so far.
    package func at(_ stage: Stage) -> Self { WireCancellation(by: canceller, stage: stage, reason: reason) }

    /// Appends the case of a cancelled event. An empty one has no values.
    func encode(asVariant number: UInt64, into writer: inout CBORWriter) {
        guard self != WireCancellation() else { return writer.append(variant: number) }
        writer.append(variant: number, values: 3)
        canceller.encode(into: &writer)
        writer.append(integer: stage.rawValue)
        writer.append(sentence: reason)
    }

    /// Reads the values of the case of a cancelled event.
    init(reading variant: inout VariantReader, _ reader: inout CBORReader) throws(CBORError) {
        self.init()
        guard !variant.isAtEnd else { return }
        try variant.take("canceller")
        canceller = try WireCanceller(reading: &reader)
        stage = Stage(rawValue: try variant.unsigned("stage", &reader)) ?? .unknown
        reason = try variant.sentence("reason", &reader)
    }
}

/// What cancelled an event.
package enum WireCanceller: FieldValue, Sendable, Hashable, Codable {
    /// The process that cancelled the event did not say it.
    case unknown
    /// The sender of the event.
    case sender
    /// The feature that handled the event.
    case feature
    /// The deadline of the event.
    case deadline
    /// The end of the instance, the channel, the client or the work of the worker.
    case closed
    /// A tool, which this sentence describes.
    case tool(String)
    /// A canceller of a later version, with its sentence.
    case other(number: UInt64, sentence: String)

    package func encode(into writer: inout CBORWriter) {
        switch self {
        case .unknown: writer.append(variant: 0)
        case .sender: writer.append(variant: 1)
        case .feature: writer.append(variant: 2)
        case .deadline: writer.append(variant: 3)
        case .closed: writer.append(variant: 4)
        case .tool(let name):
            writer.append(variant: 5, values: 1)
            writer.append(sentence: name)
        case .other(let number, let sentence):
            writer.append(variant: number, values: 1)
            writer.append(sentence: sentence)
        }
    }

    package init(reading reader: inout CBORReader) throws(CBORError) {
        var variant = try VariantReader(&reader, "canceller")
        switch variant.number {
        case 0: self = .unknown
        case 1: self = .sender
        case 2: self = .feature
        case 3: self = .deadline
        case 4: self = .closed
        case 5: self = .tool(try variant.sentence("tool", &reader))
        default: self = .other(number: variant.number, sentence: try variant.firstSentence(&reader))
        }
        try variant.finish(&reader)
    }
}
