#if os(Linux)
import CProcessEnd
import Foundation
import Glibc
import Testing

/// Whether a process runs: neither gone nor waiting to be taken out of the process table.
func isRunning(_ process: Int32) -> Bool {
    let watch = test_watch_process(process)
    guard watch >= 0 else { return false }
    defer { close(watch) }
    return !isReadable(watch, within: 0)
}

/// Waits until processes have ended, also those that are not children of this one.
///
/// - Returns: Whether all have ended within the generous limit. The processes that have not are printed.
func end(_ processes: [Int32], within limit: Duration = .seconds(30)) async throws -> Bool {
    // All processes are watched first, because the ID of an ended process may soon be reused.
    let watches = processes.map { (process: $0, watch: test_watch_process($0)) }
    let left = try await onAThread {
        let end = ContinuousClock.now + limit
        return watches.compactMap { process, watch -> String? in
            // Taken out of the process table already.
            guard watch >= 0 else { return nil }
            defer { close(watch) }
            let left = max(.zero, ContinuousClock.now.duration(to: end))
            return isReadable(watch, within: Int32(left.components.seconds * 1000) + 1) ? nil : description(of: process)
        }
    }
    for process in left { Issue.record("\(process) still runs") }
    return left.isEmpty
}

private func description(of process: Int32) -> String {
    let texts = ["stat", "cmdline"].map { name in
        let bytes = try? Data(contentsOf: URL(fileURLWithPath: "/proc/\(process)/\(name)"))
        return String(decoding: bytes ?? Data(), as: UTF8.self).replacingOccurrences(of: "\0", with: " ")
    }
    return texts.joined(separator: " ")
}

/// Waits for a generous time until a process has written to a named pipe.
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
