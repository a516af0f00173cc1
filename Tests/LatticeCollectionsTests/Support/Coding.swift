import LatticeCoding

/// The bytes that a value has on the wire.
func encoded(_ value: some Encodable) throws -> [UInt8] { try CBOREncoder().encode(value) }

func decoded<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) throws -> Value {
    try CBORDecoder().decode(type, from: bytes)
}
