/// 64 bytes as it is encoded.
struct EchoAction: Codable, Sendable {
    /// Numbers start here, so that each has the same length on the wire.
    static let firstNumber = 100_000

    var number: Int
    var payload: [UInt8]

    init(number: Int) {
        self.number = number
        payload = Self.filling
    }

    private static let filling = [UInt8](repeating: 0x5A, count: 41)
}
