import LatticeConcurrency

/// A message of a service to systemd, in the form of sd_notify(3).
public struct SystemdNotification: Sendable, Hashable {
    /// The maximum size of a status in bytes. A longer one is cut.
    public static let maximumStatusBytes = 1_024

    /// The assignments, each in a line of its own.
    let text: String

    private init(_ text: String) {
        self.text = text
    }

    /// The service has started, or has reloaded its configuration.
    public static let ready = SystemdNotification("READY=1")
    /// The service begins to stop.
    public static let stopping = SystemdNotification("STOPPING=1")
    /// The service works. systemd ends a service with `WatchdogSec=` that does not say so in time.
    public static let watchdog = SystemdNotification("WATCHDOG=1")

    /// The service begins to reload its configuration. ``ready`` must follow. `Type=notify-reload` needs systemd 253.
    public static var reloading: SystemdNotification {
        SystemdNotification("RELOADING=1\nMONOTONIC_USEC=\(MonotonicTime.nanoseconds / 1000)")
    }

    /// A sentence that `systemctl status` shows. Line breaks become spaces.
    public static func status(_ status: String) -> SystemdNotification {
        var line = String(status.map { $0.isNewline ? " " : $0 })
        while line.utf8.count > maximumStatusBytes { line.removeLast() }
        return SystemdNotification("STATUS=\(line)")
    }

    /// Another process is the main process of the service from now on, for example after a handover.
    public static func mainProcess(_ process: Int32) -> SystemdNotification {
        SystemdNotification("MAINPID=\(process)")
    }
}
