/// How a worker's life ended.
package enum WireCause: Sendable, Hashable {
    /// It exited with this code.
    case exit(Int32)
    /// This signal killed it.
    case signal(Int32)
    /// It gave no sign of life in time.
    case hang
    /// It went over this limit.
    case limit(String)
    /// Its session ended, and nothing else is known.
    case disconnected
    /// There was no room to start it.
    case lackOfResources(String)
    /// One of a later version, with its sentence.
    case other(number: UInt64, sentence: String)

    func encode(into writer: inout CBORWriter) {
        switch self {
        case .exit(let code):
            writer.append(arrayHeader: 2)
            writer.append(unsigned: 1)
            writer.append(integer: Int64(code))
        case .signal(let number):
            writer.append(arrayHeader: 2)
            writer.append(unsigned: 2)
            writer.append(integer: Int64(number))
        case .hang:
            writer.append(arrayHeader: 1)
            writer.append(unsigned: 3)
        case .limit(let name):
            writer.append(arrayHeader: 2)
            writer.append(unsigned: 4)
            writer.append(text: MessageLimits.trimmed(name))
        case .disconnected:
            writer.append(arrayHeader: 1)
            writer.append(unsigned: 5)
        case .lackOfResources(let reason):
            writer.append(arrayHeader: 2)
            writer.append(unsigned: 6)
            writer.append(text: MessageLimits.trimmed(reason))
        case .other(let number, let sentence):
            writer.append(arrayHeader: 2)
            writer.append(unsigned: number)
            writer.append(text: MessageLimits.trimmed(sentence))
        }
    }

    /// Reads one cause and moves the reader behind it.
    init(reading reader: inout CBORReader) throws(WireError) {
        var variant = try VariantReader(&reader, "cause")
        switch variant.number {
        case 1: self = .exit(try variant.int32("code", &reader))
        case 2: self = .signal(try variant.int32("signal", &reader))
        case 3: self = .hang
        case 4: self = .limit(try variant.sentence("limit", &reader))
        case 5: self = .disconnected
        case 6: self = .lackOfResources(try variant.sentence("lackOfResources", &reader))
        default: self = .other(number: variant.number, sentence: try variant.firstSentence(&reader))
        }
        try variant.finish(&reader)
    }
}
