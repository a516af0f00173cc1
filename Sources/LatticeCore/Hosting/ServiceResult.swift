/// The result of a worker or a host in the terms of systemd: a value of `$SERVICE_RESULT` (systemd.exec(5)), which
/// `systemctl show --property=Result` prints. A value that only a later version knows is preserved.
///
/// The lines of ``HostFailure/history`` start with it, so that scripts and dashboards for systemd services can
/// interpret workers in the same way.
package struct ServiceResult: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
    /// The term that systemd uses.
    package let rawValue: String

    /// Creates a result from a term of systemd.
    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The worker exited with code 0.
    package static let success = ServiceResult(rawValue: "success")
    /// The worker exited with a code other than 0.
    package static let exitCode = ServiceResult(rawValue: "exit-code")
    /// A signal ended the worker. For systemd, SIGTERM and some other signals are an orderly end. Here every signal has
    /// this result, because an orderly end is always requested by the coordinator. Exceeding the limit for CPU time has
    /// this result too, since it is enforced by a signal.
    package static let signal = ServiceResult(rawValue: "signal")
    /// The worker sent no heartbeat in time, or a turn did not end.
    package static let watchdog = ServiceResult(rawValue: "watchdog")
    /// The worker exceeded its limit for memory.
    package static let oomKill = ServiceResult(rawValue: "oom-kill")
    /// The worker could not be started because file descriptors, processes or memory were exhausted.
    package static let resources = ServiceResult(rawValue: "resources")
    /// The handshake of the started process was refused.
    package static let `protocol` = ServiceResult(rawValue: "protocol")
    /// The worker ended too often within a period of time and is not restarted.
    package static let startLimitHit = ServiceResult(rawValue: "start-limit-hit")

    package var description: String { rawValue }
}

extension Interruption.Cause {
    /// The cause in the terms of systemd. It is nil if systemd has no term, after an orderly end, and if the cause is
    /// unknown.
    package var result: ServiceResult? {
        switch self {
        case .exit(code: 0): .success
        case .exit: .exitCode
        case .signal, .cpuTime: .signal
        case .hang, .turn, .call: .watchdog
        case .memory: .oomKill
        case .lackOfResources: .resources
        case .limit, .disconnected, .group, .statusLost, .requested, .other: nil
        }
    }

    /// The cause with its result, for a list of past terminations.
    package var withResult: String { result.map { "\($0): \(self)" } ?? "\(self)" }
}
