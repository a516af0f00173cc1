import CLatticeSystem

/// An event of one descriptor.
struct ReadyEvent {
    var token: UInt64
    var readiness: Readiness
}

/// Waits for descriptors. All methods except `wake` are called on one thread.
protocol Poller: AnyObject {
    /// Watches `descriptor` for `interest` from now on, and not at all if that is empty. It is level-triggered: unread
    /// data is reported again.
    ///
    /// - Returns: 0, or the system's error number.
    func watch(_ descriptor: Int32, token: UInt64, from old: Readiness, to interest: Readiness) -> Int32

    /// Waits at most `milliseconds` (-1: without end, 0: not at all) for events or `wake`.
    ///
    /// - Returns: The number of events, which `event(at:)` returns.
    func wait(milliseconds: Int32) -> Int

    func event(at index: Int) -> ReadyEvent

    /// Ends the present wait, or else the next one. It can be called on any thread.
    func wake()
}

/// A descriptor that becomes readable when another thread signals it. It is an eventfd, or a pipe on systems without
/// one.
final class WakeupDescriptor: Sendable {
    let reading: Int32
    private let writing: Int32

    init() throws(TransportError) {
        var ends: [Int32] = [-1, -1]
        guard lattice_wakeup(&ends) == 0 else { throw .system("make a wake-up line", lattice_errno()) }
        (reading, writing) = (ends[0], ends[1])
    }

    /// Makes the descriptor readable. The result of the write does not matter, because a full pipe has the same effect.
    func signal() {
        var one: UInt64 = 1
        while write(writing, &one, MemoryLayout.size(ofValue: one)) == -1, lattice_errno() == EINTR {}
    }

    func drain() {
        withUnsafeTemporaryAllocation(byteCount: 512, alignment: 8) { buffer in
            while read(reading, buffer.baseAddress, buffer.count) == buffer.count {}
        }
    }

    deinit {
        System.close(reading)
        if writing != reading { System.close(writing) }
    }
}
