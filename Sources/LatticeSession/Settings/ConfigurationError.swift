/// An error that describes an invalid setting and the valid values in one sentence.
package struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The sentence that describes the setting and its valid values.
    package let message: String

    /// Creates an error with the given sentence.
    package init(message: String) {
        self.message = message
    }

    package var description: String { message }
}

/// Checks the settings that the configurations of coordinators and clients have in common.
package enum Settings {
    /// The longest time that a setting may have: a year. A time in this range can be added to an instant without an
    /// overflow.
    package static let maximumTime: Duration = .seconds(366 * 24 * 3600)
    /// The shortest time that a timeout may have, because the timers of an event loop count milliseconds.
    package static let minimumTimeout: Duration = .milliseconds(1)
    /// The shortest interval between two heartbeats. With a shorter one the other side would do little else than
    /// answer.
    package static let minimumInterval: Duration = .milliseconds(10)
    /// The largest factor by which a delay may grow.
    private static let maximumFactor: Double = 1000

    /// Checks that a time is in the allowed range.
    ///
    /// - Parameters:
    ///   - name: The name of the setting, for the error.
    ///   - time: The value of the setting.
    ///   - shortest: The shortest time that is allowed.
    package static func check(
        _ name: String,
        _ time: Duration,
        from shortest: Duration = minimumTimeout
    ) throws(ConfigurationError) {
        guard time >= shortest, time <= maximumTime else {
            throw ConfigurationError(message: "\(name) is \(time); give it a time from \(shortest) to \(maximumTime)")
        }
    }

    /// Checks that a time is in the allowed range and not shorter than another setting.
    ///
    /// - Parameters:
    ///   - name: The name of the setting, for the error.
    ///   - time: The value of the setting.
    ///   - least: The name and the value of the other setting.
    package static func check(
        _ name: String,
        _ time: Duration,
        notBelow least: (name: String, time: Duration)
    ) throws(ConfigurationError) {
        try check(name, time)
        guard time >= least.time else {
            let message = "\(name) is \(time), and \(least.name) is \(least.time); make \(name) at least as long"
            throw ConfigurationError(message: message)
        }
    }

    /// Checks that a growth factor is at least 1 and not above the largest factor.
    package static func check(_ name: String, factor: Double) throws(ConfigurationError) {
        try check(name, number: factor, 1...maximumFactor)
    }

    /// Checks that a number is in a range.
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

    /// Checks that a count is not negative.
    package static func check(_ name: String, count: Int) throws(ConfigurationError) {
        guard count >= 0 else { throw ConfigurationError(message: "\(name) is \(count); give it 0 or more") }
    }

    /// Checks the interval and the timeout of a heartbeat. The timeout must not be shorter than the interval.
    package static func checkHeartbeat(interval: Duration, timeout: Duration) throws(ConfigurationError) {
        try check("heartbeatInterval", interval, from: minimumInterval)
        try check("heartbeatTimeout", timeout, notBelow: ("heartbeatInterval", interval))
    }
}

extension Duration {
    /// The duration in whole milliseconds, rounded down. A duration that is out of range, as another process may send
    /// it, becomes the nearest value of `Int64`.
    package var milliseconds: Int64 {
        guard components.seconds.magnitude < Int64.max.magnitude / 1000 else {
            return components.seconds < 0 ? .min : .max
        }
        return components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }
}
