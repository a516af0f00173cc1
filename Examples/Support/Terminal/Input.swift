import Dispatch
import Glibc

/// Standard input, read one piece at a time and only when somebody waits for it.
///
/// A task that is cancelled while it waits stops waiting, and there is no more input from then on.
package struct Input: Sendable {
    package enum Piece: Equatable, Sendable {
        case bytes([UInt8])
        /// Nothing came within the limit.
        case pause
        /// There is nothing more to come.
        case end
    }

    private static let pieceBytes = 4 * 1024
    private static let maximumRest = 64 * 1024

    private let descriptor: Int32
    /// Readable once the wait is over. Both ends stay open as long as the process.
    private let wakeUp: (reading: Int32, writing: Int32)
    // Waiting blocks a thread, which must not be one of Swift's own.
    private let queue = DispatchQueue(label: "input")

    package init(descriptor: Int32 = STDIN_FILENO) throws(ProgramError) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else {
            throw ProgramError("cannot make a pipe: \(String(cString: strerror(errno))); close other programs")
        }
        // The worker is started later: it has no use for them.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        self.descriptor = descriptor
        wakeUp = (ends[0], ends[1])
    }

    /// - Parameter milliseconds: How long to wait; nil: as long as it takes.
    /// - Returns: nil if the task is cancelled.
    package func next(within milliseconds: Int32? = nil) async -> Piece? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async { continuation.resume(returning: wait(milliseconds ?? -1)) }
            }
        } onCancel: {
            var byte: UInt8 = 0
            _ = write(wakeUp.writing, &byte, 1)
        }
    }

    /// Reads the input that has arrived, up to 64 KiB, without waiting for more.
    package func rest() -> [UInt8] {
        var rest: [UInt8] = []
        var descriptors = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
        while rest.count < Self.maximumRest, poll(&descriptors, 1, 0) == 1, case .bytes(let bytes)? = read() {
            rest += bytes
        }
        return rest
    }

    private func wait(_ milliseconds: Int32) -> Piece? {
        var descriptors = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: wakeUp.reading, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            let count = poll(&descriptors, 2, milliseconds)
            if count == 0 { return .pause }
            if count < 0 {
                guard errno == EINTR else { return .end }
                continue
            }
            if descriptors[1].revents != 0 { return nil }
            if let piece = read() { return piece }
        }
    }

    /// nil if there is nothing to read after all.
    private func read() -> Piece? {
        var bytes = [UInt8](repeating: 0, count: Self.pieceBytes)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        guard count < 0 else { return count == 0 ? .end : .bytes(Array(bytes.prefix(count))) }
        // Anything else, such as a terminal that has gone away, is an end too.
        return errno == EINTR || errno == EAGAIN ? nil : .end
    }
}
