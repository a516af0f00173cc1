import LatticeCoding

/// The environment variable that marks a process as a worker. It holds the worker's incarnation and its one-time token.
package struct LaunchVariable: Sendable, Equatable {
    /// The name of the environment variable.
    package static let name = "LATTICE_WORKER"

    /// The name of the environment variable that holds the name of the worker's group. The value is empty for the
    /// worker of features that belong to no group.
    package static let groupName = "LATTICE_GROUP"

    /// The name of the environment variable that holds the lowest level that the coordinator logs. The value is the
    /// name of a level of swift-log.
    package static let logLevelName = "LATTICE_LOG_LEVEL"

    /// The incarnation of the worker.
    package let incarnation: UInt64
    /// The one-time token with which the worker proves that the coordinator started it.
    package let token: [UInt8]

    /// Creates a value from an incarnation and a token.
    package init(incarnation: UInt64, token: [UInt8]) {
        self.incarnation = incarnation
        self.token = token
    }

    /// Creates a value from the text `INCARNATION:TOKEN`, in which the token has hexadecimal digits. Returns `nil` if
    /// the text has another form.
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

    /// The value of the environment variable.
    package var text: String {
        "\(incarnation):" + token.hexadecimal
    }
}
