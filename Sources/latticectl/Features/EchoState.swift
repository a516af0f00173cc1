/// 64 bytes as it is encoded.
struct EchoState: Codable, Equatable, Sendable {
    /// The number of the newest action.
    var number = EchoAction.firstNumber - 1
    /// Actions whose number was not the one after the one before.
    var gaps = 0
    var payload = [UInt8](repeating: 0xA5, count: 35)

    mutating func apply(_ number: Int) {
        if number != self.number + 1 { gaps += 1 }
        self.number = number
    }
}
