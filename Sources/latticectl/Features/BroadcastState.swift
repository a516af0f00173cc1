/// 1,024 bytes as it is encoded.
struct BroadcastState: Codable, Equatable, Sendable {
    /// Numbers start above this, so that each has the same length on the wire.
    static let firstNumber = 100_000
    static let payloadSize = 1000

    var number = firstNumber
    var payload = [UInt8](repeating: 0xA5, count: payloadSize)
}
