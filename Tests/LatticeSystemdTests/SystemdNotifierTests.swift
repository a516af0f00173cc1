import LatticeConcurrency
import LatticeTestSupport
import Testing

@testable import LatticeSystemd

/// Tests the messages to systemd, and the variables that it sets.
@Suite(.timeLimit(.minutes(10))) struct SystemdNotifierTests {
    /// Notifications, and their lines.
    static let notifications: [(SystemdNotification, String)] = [
        (.ready, "READY=1"), (.stopping, "STOPPING=1"), (.watchdog, "WATCHDOG=1"),
        (.mainProcess(42), "MAINPID=42"), (.status("Running."), "STATUS=Running."),
        // A status must not set another variable.
        (.status("a\nREADY=1\r\nb"), "STATUS=a READY=1 b"),
        (.status(String(repeating: "é", count: 600)), "STATUS=" + String(repeating: "é", count: 512)),
    ]

    @Test("A notification arrives in its own form", arguments: notifications)
    func send(_ notification: SystemdNotification, _ line: String) async throws {
        try await FakeManager.with { manager in
            try SystemdNotifier(address: manager.address).send(notification)
            try await manager.until(line)
            #expect(manager.lines == [line])
        }
    }

    @Test("Several notifications are one message, also to an abstract socket")
    func abstract() async throws {
        let manager = try FakeManager(at: "@lattice-test-\(UInt64.random(in: 0...(.max)))")
        try SystemdNotifier(address: manager.address).send(.ready, .status("Up."))
        #expect(try await manager.messages.until { !$0.isEmpty } == ["READY=1\nSTATUS=Up."])
    }

    @Test("A reload begins with a time, which systemd compares with its own clock")
    func reloading() throws {
        let before = MonotonicTime.nanoseconds / 1000
        let lines = SystemdNotification.reloading.text.split(separator: "\n")
        try #require(lines.count == 2 && lines[0] == "RELOADING=1")
        let time = try #require(lines[1].split(separator: "=").last.flatMap { Int64($0) })
        #expect(lines[1].hasPrefix("MONOTONIC_USEC=") && time >= before && time <= MonotonicTime.nanoseconds / 1000)
    }

    static let addresses = ["", "/", "@", "relative", "vsock:2:3", "/" + String(repeating: "a", count: 107), "/a\0b"]

    @Test("An address of another form is an error", arguments: addresses)
    func invalidAddress(_ address: String) {
        let error = #expect(throws: SystemdError.self) { try SystemdNotifier(address: address) }
        #expect(error?.code == .invalidVariable)
    }

    @Test("A socket that does not exist is an error that says what to do")
    func notSent() throws {
        let error = #expect(throws: SystemdError.self) {
            try SystemdNotifier(address: "/nowhere/notify").send(.ready)
        }
        #expect(error?.code == .notSent)
        #expect(
            error?.message == "The notification could not be sent to systemd at /nowhere/notify: No such file or"
                + " directory. Set NotifyAccess=main in the unit, and do not hide the socket from the service."
        )
    }

    @Test("A manager that does not read delays a notification for a second at most")
    func full() throws {
        // Nothing receives from this socket, so its queue fills up.
        let silent = try SilentManager()
        let notifier = try SystemdNotifier(address: silent.address)
        let error = #expect(throws: SystemdError.self) { for _ in 0..<100_000 { try notifier.send(.watchdog) } }
        #expect(error?.code == .notSent)
    }

    /// Variables, and the timeout of the watchdog in microseconds. Nil if there is none.
    static let watchdogs: [([String: String], Int64?)] = [
        ([:], nil), (["WATCHDOG_USEC": "30000000"], 30_000_000),
        (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "7"], 30_000_000),
        // A watchdog of the parent.
        (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "8"], nil), (["WATCHDOG_PID": "7"], nil),
    ]

    @Test("The watchdog is read from the environment, if it is for this process", arguments: watchdogs)
    func watchdog(_ variables: [String: String], _ microseconds: Int64?) throws {
        let watchdog = try SystemdWatchdog(variables, process: 7)
        #expect(watchdog?.timeout == microseconds.map { .microseconds($0) })
        if let watchdog { #expect(watchdog.interval * 2 < watchdog.timeout) }
    }

    @Test(
        "A watchdog of another form is an error",
        arguments: [
            ["WATCHDOG_USEC": "0"], ["WATCHDOG_USEC": "-1"], ["WATCHDOG_USEC": "1s"], ["WATCHDOG_USEC": ""],
            ["WATCHDOG_USEC": "18446744073709551615"], ["WATCHDOG_USEC": "1", "WATCHDOG_PID": "me"],
        ]
    )
    func invalidWatchdog(_ variables: [String: String]) {
        let error = #expect(throws: SystemdError.self) { try SystemdWatchdog(variables, process: 7) }
        #expect(error?.code == .invalidVariable)
    }
}
