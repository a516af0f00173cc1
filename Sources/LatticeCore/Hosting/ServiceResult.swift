/// How a worker or a host came out, in the word that systemd has for it: what its manual lists for `$SERVICE_RESULT`
/// (systemd.exec(5)), and what `systemctl show --property=Result` prints. A word of a later version is kept.
///
/// Who has scripts or dashboards for services reads workers with the same words:
///
/// ```swift
/// if case .failed(let failure) = viewModel.hostStatus, failure.result == .startLimitHit { page(failure.reason) }
/// ```
public struct ServiceResult: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// It exited with code 0.
    public static let success = ServiceResult(rawValue: "success")
    /// It exited with another code.
    public static let exitCode = ServiceResult(rawValue: "exit-code")
    /// A signal ended it, whichever: systemd takes SIGTERM and others for an orderly end, but whoever ends a worker
    /// in order is its coordinator. The limit of CPU time is told by a signal too.
    public static let signal = ServiceResult(rawValue: "signal")
    /// It gave no sign of life in time, or did not come out of a turn.
    public static let watchdog = ServiceResult(rawValue: "watchdog")
    /// It had more memory than it may.
    public static let oomKill = ServiceResult(rawValue: "oom-kill")
    /// Descriptors, processes or memory were lacking to start it.
    public static let resources = ServiceResult(rawValue: "resources")
    /// It was not what was started: its handshake was refused.
    public static let `protocol` = ServiceResult(rawValue: "protocol")
    /// It ended too often within a time, and is not started again.
    public static let startLimitHit = ServiceResult(rawValue: "start-limit-hit")

    public var description: String { rawValue }
}

extension Interruption.Cause {
    /// The same in systemd's word; nil where that has none: for an end in order, and where nobody knows how it ended.
    public var result: ServiceResult? {
        switch self {
        case .exit(code: 0): .success
        case .exit: .exitCode
        case .signal, .cpuTime: .signal
        case .hang, .turn, .call: .watchdog
        case .memory: .oomKill
        case .lackOfResources: .resources
        case .limit, .disconnected, .group, .statusLost, .other: nil
        }
    }

    /// For a list of what has happened.
    package var withResult: String { result.map { "\($0): \(self)" } ?? "\(self)" }
}
