import Dispatch
import Glibc

/// Standard input, read on demand and in pieces.
///
/// Cancelling the waiting task ends the wait. After that, no more input is returned.
package struct Input: Sendable {
    /// The result of reading.
    package enum Piece: Equatable, Sendable {
        /// Bytes that have arrived.
        case bytes([UInt8])
        /// No input arrived within the given time.
        case pause
        /// The input has ended.
        case end
    }

    private static let pieceBytes = 4 * 1024
    private static let maximumRest = 64 * 1024

    private let descriptor: Int32
    /// A pipe that becomes readable when the wait is cancelled. Both ends stay open as long as the process.
    private let wakeUp: (reading: Int32, writing: Int32)
    // Waiting blocks a thread, which must not be one of Swift's cooperative threads.
    private let queue = DispatchQueue(label: "input")

    /// Creates an input.
    ///
    /// - Parameter descriptor: The descriptor to read from.
    /// - Throws: ``ProgramError`` if no pipe can be created.
    package init(descriptor: Int32 = STDIN_FILENO) throws(ProgramError) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else {
            throw ProgramError("cannot create a pipe: \(String(cString: strerror(errno))); close other programs")
        }
        // The worker is started later and must not inherit them.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        self.descriptor = descriptor
        wakeUp = (ends[0], ends[1])
    }

    /// Waits for the next piece of input.
    ///
    /// - Parameter milliseconds: The time to wait, or nil to wait without limit.
    /// - Returns: The piece, or nil if the task is cancelled.
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

    /// Reads the input that has already arrived, at most 64 KiB.
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

    /// Reads a piece. Returns nil if there is nothing to read after all.
    private func read() -> Piece? {
        var bytes = [UInt8](repeating: 0, count: Self.pieceBytes)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        guard count < 0 else { return count == 0 ? .end : .bytes(Array(bytes.prefix(count))) }
        // Any other error also counts as the end, for example when the terminal is gone.
        return errno == EINTR || errno == EAGAIN ? nil : .end
    }
}
