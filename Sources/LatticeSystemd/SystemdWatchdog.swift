/// The watchdog that systemd set for this process with `WatchdogSec=`.
struct SystemdWatchdog: Sendable, Hashable {
    /// The time after which systemd ends the process if it sent no ping.
    let timeout: Duration

    /// The time between the end of a probe and the next one. Two probes in a row can fail or be late before the
    /// timeout.
    var interval: Duration { timeout / 3 }

    /// Reads the watchdog from the variables of a process.
    ///
    /// - Parameters:
    ///   - variables: The variables of the environment.
    ///   - process: The ID of this process. A watchdog for another process, such as the parent, is none.
    init?(_ variables: [String: String], process: Int32) throws(SystemdError) {
        guard let text = variables["WATCHDOG_USEC"] else { return nil }
        guard let microseconds = UInt64(text), microseconds > 0, microseconds <= UInt64(Int64.max) / 1000 else {
            throw .invalid("WATCHDOG_USEC", text, "a positive number of microseconds")
        }
        if let owner = variables["WATCHDOG_PID"] {
            guard let owner = Int32(owner), owner > 0 else {
                throw .invalid("WATCHDOG_PID", owner, "the number of a process")
            }
            guard owner == process else { return nil }
        }
        timeout = .microseconds(Int64(microseconds))
    }
}
