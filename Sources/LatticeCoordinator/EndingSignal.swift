#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A signal that asks a program to end, which a coordinator can answer by ending in order.
public struct EndingSignal: Sendable, Hashable, CustomStringConvertible {
    let number: Int32
    public let description: String

    /// SIGTERM: a service manager, or `kill`.
    public static let terminate = EndingSignal(number: SIGTERM, description: "SIGTERM")
    /// SIGINT: Ctrl-C in the terminal.
    public static let interrupt = EndingSignal(number: SIGINT, description: "SIGINT")
    /// SIGHUP: the terminal went.
    public static let hangUp = EndingSignal(number: SIGHUP, description: "SIGHUP")

    private init(number: Int32, description: String) {
        self.number = number
        self.description = description
    }
}
