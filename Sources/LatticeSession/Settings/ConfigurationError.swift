/// A setting that makes no sense, and what would: a sentence for the error of whoever was given it.
package struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
    package let message: String

    package init(message: String) {
        self.message = message
    }

    package var description: String { message }
}

/// Checks what the configurations of coordinators and clients have in common.
package enum Settings {
    /// Nobody waits longer, and what is added to it stays in range.
    package static let longestTime: Duration = .seconds(366 * 24 * 3600)
    /// The shortest time that is a limit: a reactor's timers count milliseconds.
    package static let minimumTimeout: Duration = .milliseconds(1)
    /// Asked more often, the other side would do nothing else.
    package static let shortestInterval: Duration = .milliseconds(10)
    /// By how much a wait grows at most.
    private static let maximumFactor: Double = 1000

    package static func check(
        _ name: String,
        _ time: Duration,
        from shortest: Duration = minimumTimeout
    ) throws(ConfigurationError) {
        guard time >= shortest, time <= longestTime else {
            throw ConfigurationError(message: "\(name) is \(time); give it a time from \(shortest) to \(longestTime)")
        }
    }

    /// - Parameter least: Another setting, which this one must not be below.
    package static func check(
        _ name: String,
        _ time: Duration,
        notBelow least: (name: String, time: Duration)
    ) throws(ConfigurationError) {
        try check(name, time)
        guard time >= least.time else {
            let message = "\(name) is \(time), and \(least.name) \(least.time); make it at least as long"
            throw ConfigurationError(message: message)
        }
    }

    package static func check(_ name: String, factor: Double) throws(ConfigurationError) {
        try check(name, number: factor, 1...maximumFactor)
    }

    package static func check(
        _ name: String,
        number: Double,
        _ range: ClosedRange<Double>
    ) throws(ConfigurationError) {
        guard range.contains(number) else {
            let message = "\(name) is \(number); give it a number from \(range.lowerBound) to \(range.upperBound)"
            throw ConfigurationError(message: message)
        }
    }

    package static func check(_ name: String, count: Int) throws(ConfigurationError) {
        guard count >= 0 else { throw ConfigurationError(message: "\(name) is \(count); give it 0 or more") }
    }

    package static func checkHeartbeat(interval: Duration, limit: Duration) throws(ConfigurationError) {
        try check("heartbeatInterval", interval, from: shortestInterval)
        try check("heartbeatTimeout", limit, notBelow: ("heartbeatInterval", interval))
    }
}

extension Duration {
    /// Whole milliseconds, rounded down; the longest that there are for more, which another process may have sent.
    package var milliseconds: Int64 {
        guard components.seconds.magnitude < Int64.max.magnitude / 1000 else {
            return components.seconds < 0 ? .min : .max
        }
        return components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }
}
