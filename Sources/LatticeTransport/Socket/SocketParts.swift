/// The two files of a listener.
package struct SocketParts: OptionSet, Sendable, Hashable {
    package static let socket = SocketParts(rawValue: 1)
    package static let lock = SocketParts(rawValue: 2)

    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }
}
