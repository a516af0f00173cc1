#if os(Linux)
import CProcessEnd
import Glibc

/// Whether a process runs: neither gone nor waiting to be taken out of the process table.
func isRunning(_ process: Int32) -> Bool {
    let watch = test_watch_process(process)
    guard watch >= 0 else { return false }
    defer { close(watch) }
    return !isReadable(watch, within: 0)
}

/// Waits until processes have ended, also those that are not children of this one.
///
/// - Returns: Whether all have within the limit, a generous one.
func end(_ processes: [Int32], within limit: Duration = .seconds(30)) async throws -> Bool {
    try await onAThread {
        let end = ContinuousClock.now + limit
        return processes.allSatisfy { process in
            let watch = test_watch_process(process)
            // Taken out of the process table already.
            guard watch >= 0 else { return true }
            defer { close(watch) }
            let left = max(.zero, ContinuousClock.now.duration(to: end))
            return isReadable(watch, within: Int32(left.components.seconds * 1000) + 1)
        }
    }
}

/// Waits until somebody has written to a named pipe, for a generous time.
func hears(from pipe: String) async throws -> Bool {
    try await onAThread {
        let reading = open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(reading) }
        return isReadable(reading, within: 30_000)
    }
}

/// Whether a descriptor becomes readable.
private func isReadable(_ watch: Int32, within milliseconds: Int32) -> Bool {
    var waiting = pollfd(fd: watch, events: Int16(POLLIN), revents: 0)
    while true {
        let count = poll(&waiting, 1, milliseconds)
        if count >= 0 { return count > 0 }
        guard errno == EINTR else { return false }
    }
}
#endif
