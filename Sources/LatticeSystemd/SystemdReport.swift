import LatticeConcurrency

/// The state machine of what systemd knows of a service. It performs no I/O.
///
/// A message that was lost is due until it was sent. The service is in one of these states:
///
/// - *starting*: systemd does not know that the service is ready.
/// - *ready*: systemd knows it. Only a new status is due.
/// - *reloading*: a reload runs. systemd knows of it or not.
/// - *reloaded*: the reload has ended, and systemd does not know that the service is ready again.
struct SystemdReport: Sendable {
    /// Whether systemd knows that a reload has begun.
    private enum Announcement: Hashable {
        case due, sent
    }

    private enum Phase: Hashable {
        case starting
        case ready
        case reloading(Announcement)
        case reloaded(Announcement)
    }

    /// The status of a service without problems.
    static let running = "Running."

    private var phase = Phase.starting
    /// What the last probe has found.
    private var problems: [String] = []
    /// The sentence about the last reload, or nil if it succeeded.
    private var reloadProblem: String?
    /// The status that systemd knows, or nil if there is none.
    private var shown: String?

    private var status: String {
        let sentences = problems + [reloadProblem].compactMap(\.self)
        return sentences.isEmpty ? Self.running : sentences.joined(separator: " ")
    }

    /// The message that is due, or nil. Call ``sent()`` when systemd has taken it.
    var next: [SystemdNotification]? {
        switch phase {
        case .starting, .reloaded(.sent): [.ready, .status(status)]
        case .reloading(.due), .reloaded(.due): [.reloading]
        case .ready, .reloading(.sent): shown == status ? nil : [.status(status)]
        }
    }

    /// Handles that systemd has taken the message ``next``.
    mutating func sent() {
        switch phase {
        case .reloading(.due): phase = .reloading(.sent)
        case .reloaded(.due): phase = .reloaded(.sent)
        case .starting, .reloaded(.sent): (phase, shown) = (.ready, status)
        case .ready, .reloading(.sent): shown = status
        }
    }

    /// Handles the result of a probe.
    mutating func probed(_ problems: [String]) {
        self.problems = problems
    }

    /// Handles the beginning of a reload.
    mutating func reloadBegins() {
        phase = .reloading(.due)
    }

    /// Handles the end of a reload.
    ///
    /// - Parameter error: The error of the reload, or nil if it succeeded.
    mutating func reloadEnded(_ error: (any Error)?) {
        reloadProblem = error.map { "The configuration was not reloaded: \($0)" }
        // systemd takes no READY=1 for a reload of which it does not know.
        if case .reloading(let announcement) = phase { phase = .reloaded(announcement) }
    }
}

/// The owner of a ``SystemdReport``, which sends what is due.
final class SystemdReporter: Sendable {
    private let notifier: SystemdNotifier?
    private let report = Locked(SystemdReport())

    /// - Parameter notifier: Sends the messages, or nil if no process wants them.
    init(_ notifier: SystemdNotifier?) {
        self.notifier = notifier
    }

    /// Passes an input to the state machine.
    func update(_ input: (inout SystemdReport) -> Void) {
        report.withLock { input(&$0) }
    }

    /// Sends what is due, unless the task is cancelled.
    func send() throws(SystemdError) {
        guard let notifier else { return }
        // The lock is held while a message is sent, so that messages arrive in the order of the states.
        try report.withLock { report throws(SystemdError) in
            while !Task.isCancelled, let message = report.next {
                try notifier.send(message)
                report.sent()
            }
        }
    }
}
