/// The place at which an endpoint for metrics listens.
public struct MetricsAddress: Sendable, Hashable, CustomStringConvertible {
    enum Place: Hashable {
        case loopback(UInt16)
        case socket(String)
    }

    let place: Place

    /// A TCP port of 127.0.0.1. Every user of this machine can read the metrics there, and no other machine.
    ///
    /// - Parameter port: The port, or 0 for any free one. Prometheus exporters often use a port from 9100.
    public static func loopback(port: UInt16) -> MetricsAddress { MetricsAddress(place: .loopback(port)) }

    /// A Unix socket, which only this user and root can reach.
    ///
    /// - Parameter path: The path of the socket, at most 107 bytes, in a directory of this user. A lock file is created
    ///   next to it.
    public static func socket(_ path: String) -> MetricsAddress { MetricsAddress(place: .socket(path)) }

    /// The address as text: "http://127.0.0.1:9464/metrics", or the path of the socket.
    public var description: String {
        switch place {
        case .loopback(let port): "http://127.0.0.1:\(port)\(ScrapeRequest.path)"
        case .socket(let path): path
        }
    }

    /// The hosts that a request may name, or nil for all.
    var hosts: Set<String>? {
        guard case .loopback(let port) = place else { return nil }
        return ["127.0.0.1:\(port)", "localhost:\(port)"]
    }
}
