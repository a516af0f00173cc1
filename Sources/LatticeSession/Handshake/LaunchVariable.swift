/// The environment variable by which a worker knows that it is one: its incarnation and its one-time token.
package struct LaunchVariable: Sendable, Equatable {
    package static let name = "LATTICE_WORKER"

    /// Says what the worker's group is called; empty for the one of features that are in no group.
    package static let groupName = "LATTICE_GROUP"

    /// Says the lowest level that the coordinator logs, in the words of swift-log.
    package static let logLevelName = "LATTICE_LOG_LEVEL"

    package let incarnation: UInt64
    package let token: [UInt8]

    package init(incarnation: UInt64, token: [UInt8]) {
        self.incarnation = incarnation
        self.token = token
    }

    /// Reads `INCARNATION:TOKEN`, the token in hexadecimal digits.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, let incarnation = UInt64(parts[0]), parts[1].utf8.count.isMultiple(of: 2),
            parts[1].allSatisfy(\.isHexDigit)
        else {
            return nil
        }
        var token: [UInt8] = []
        var digits = parts[1][...]
        while !digits.isEmpty {
            guard let byte = UInt8(digits.prefix(2), radix: 16) else { return nil }
            token.append(byte)
            digits = digits.dropFirst(2)
        }
        self.init(incarnation: incarnation, token: token)
    }

    package var text: String {
        "\(incarnation):" + token.hexadecimal
    }
}

extension [UInt8] {
    /// Two digits for each byte, in small letters.
    package var hexadecimal: String {
        map { byte in
            let digits = String(byte, radix: 16)
            return digits.utf8.count == 1 ? "0" + digits : digits
        }.joined()
    }
}
