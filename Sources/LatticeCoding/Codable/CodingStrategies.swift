/// How the coder goes over the values of each type. To find that out takes longer than to code a small value, so a core
/// keeps it of the types that it has met last.
struct CodingStrategies<Strategy> {
    private static var places: Int { 64 }

    private var known: [(type: ObjectIdentifier, strategy: Strategy)?] = Array(repeating: nil, count: places)

    /// - Parameter find: is called for a type of which nothing is known.
    @inline(__always)
    mutating func strategy(of type: Any.Type, _ find: (Any.Type) -> Strategy) -> Strategy {
        let identifier = ObjectIdentifier(type)
        // Types are at least 16 bytes apart.
        let place = Int(bitPattern: identifier) >> 4 & (Self.places - 1)
        if let known = known[place], known.type == identifier { return known.strategy }
        let strategy = find(type)
        known[place] = (identifier, strategy)
        return strategy
    }
}

/// The commonest types of generic arrays. Kept, since naming one has it looked up at run time, which took 1 % of the
/// CPU of `latticectl bench session --only deliveries`.
struct FastTypes {
    let bytes: Any.Type = [UInt8].self
    let texts: Any.Type = [String].self
    let numbers: Any.Type = [Int].self
    let floats: Any.Type = [Double].self
}

enum EncodingStrategy {
    /// By the type's own code.
    case general
    /// By a loop over what the type holds, without that code.
    case direct(DirectCoder)
    /// The same, where the values of a dictionary have code of their own.
    case entries(any TextKeyedEncodable.Type)
    /// By the value itself.
    case wire(any WireCodable.Type)

    init(of type: Any.Type) {
        if let coder = DirectCoder.all[ObjectIdentifier(type)] {
            self = .direct(coder)
        } else if let type = type as? any TextKeyedEncodable.Type {
            self = .entries(type)
        } else if let type = type as? any WireCodable.Type, !(type is any LeftToCoder.Type) {
            self = .wire(type)
        } else {
            self = .general
        }
    }
}

enum DecodingStrategy {
    /// By the type's own code.
    case general
    /// By a loop over the bytes, without that code.
    case direct(DirectCoder)
    /// By the value itself.
    case wire(any WireCodable.Type)

    init(of type: Any.Type) {
        if let coder = DirectCoder.all[ObjectIdentifier(type)] {
            self = .direct(coder)
        } else if let type = type as? any WireCodable.Type, !(type is any LeftToCoder.Type) {
            self = .wire(type)
        } else {
            self = .general
        }
    }
}

/// What writes itself only where it is written by others that do: else the coder knows better.
protocol LeftToCoder {}

extension Optional: LeftToCoder {}
extension Array: LeftToCoder {}
extension Dictionary: LeftToCoder {}
extension Set: LeftToCoder {}

/// A dictionary with keys of text and any values.
protocol TextKeyedEncodable {
    func encodeEntries(with core: EncoderCore) throws
}

extension Dictionary: TextKeyedEncodable where Key == String, Value: Encodable {
    func encodeEntries(with core: EncoderCore) throws {
        let map = core.open(isMap: true, count: count)
        for (key, value) in self {
            let start = core.writer.bytes.count
            guard core.appendKey(key, map) else { return }
            try core.encode(value, under: CBORCodingKey.text(key), in: map, from: start)
        }
        // What a value has begun has ended with it.
        core.closeTop()
    }
}
