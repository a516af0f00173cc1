/// The strategies by which the coder codes the values of each type. Finding a strategy takes longer than coding a small
/// value, so a core caches those of the types that it met last.
struct CodingStrategies<Strategy> {
    private static var places: Int { 64 }

    private var known: [(type: ObjectIdentifier, strategy: Strategy)?] = Array(repeating: nil, count: places)

    /// Returns the strategy of a type.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - find: Finds the strategy of a type that is not in the cache.
    @inline(__always)
    mutating func strategy(of type: Any.Type, _ find: (Any.Type) -> Strategy) -> Strategy {
        let identifier = ObjectIdentifier(type)
        // The addresses of types are at least 16 bytes apart.
        let place = Int(bitPattern: identifier) >> 4 & (Self.places - 1)
        if let known = known[place], known.type == identifier { return known.strategy }
        let strategy = find(type)
        known[place] = (identifier, strategy)
        return strategy
    }
}

/// The most frequent types of generic arrays. They are stored because naming such a type looks it up at run time, which
/// took 1 % of the CPU time of `lattice-bench session --only deliveries`.
struct FastTypes {
    let bytes: Any.Type = [UInt8].self
    let texts: Any.Type = [String].self
    let numbers: Any.Type = [Int].self
    let floats: Any.Type = [Double].self
}

/// The way in which the encoder encodes the values of a type.
enum EncodingStrategy {
    /// Calls the type's own code.
    case general
    /// Runs a loop over the elements of the value, without the type's own code.
    case direct(DirectCoder)
    /// Runs such a loop over a dictionary whose values have code of their own.
    case entries(any TextKeyedEncodable.Type)
    /// Lets the value write itself.
    case wire(any WireCodable.Type)

    init(of type: Any.Type) {
        if let coder = DirectCoder.all[ObjectIdentifier(type)] {
            self = .direct(coder)
        } else if let type = type as? any TextKeyedEncodable.Type {
            self = .entries(type)
        } else if let type = type as? any WireCodable.Type, !(type is any PrefersCoder.Type) {
            self = .wire(type)
        } else {
            self = .general
        }
    }
}

/// The way in which the decoder decodes the values of a type.
enum DecodingStrategy {
    /// Calls the type's own code.
    case general
    /// Runs a loop over the bytes, without the type's own code.
    case direct(DirectCoder)
    /// Lets the value read itself.
    case wire(any WireCodable.Type)

    init(of type: Any.Type) {
        if let coder = DirectCoder.all[ObjectIdentifier(type)] {
            self = .direct(coder)
        } else if let type = type as? any WireCodable.Type, !(type is any PrefersCoder.Type) {
            self = .wire(type)
        } else {
            self = .general
        }
    }
}

/// A type that writes itself only inside values that write themselves. In all other cases the coder has a faster way.
protocol PrefersCoder {}

extension Optional: PrefersCoder {}
extension Array: PrefersCoder {}
extension Dictionary: PrefersCoder {}
extension Set: PrefersCoder {}

/// A dictionary with text keys and any values.
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
        // All containers that the values began have ended with the values.
        core.closeTop()
    }
}
