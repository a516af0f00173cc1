#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A signal that asks a program to end. A coordinator can respond to it by stopping in order.
///
/// ```swift
/// try await withCoordinator(hosting: Notes.self, signals: [.terminate, .interrupt]) { coordinator in … }
/// ```
public struct EndingSignal: Sendable, Hashable, CustomStringConvertible {
    let number: Int32
    /// The name of the signal, such as "SIGTERM".
    public let description: String

    /// SIGTERM, which a service manager or the `kill` command sends.
    public static let terminate = EndingSignal(number: SIGTERM, description: "SIGTERM")
    /// SIGINT, which Ctrl-C in a terminal sends.
    public static let interrupt = EndingSignal(number: SIGINT, description: "SIGINT")
    /// SIGHUP, which is sent when the terminal closes.
    public static let hangUp = EndingSignal(number: SIGHUP, description: "SIGHUP")

    private init(number: Int32, description: String) {
        self.number = number
        self.description = description
    }
}
