import CLatticeSystem

/// One descriptor's news.
struct ReadyEvent {
    var token: UInt64
    var readiness: Readiness
}

/// Waits for descriptors. One thread calls everything but `wake`.
protocol Poller: AnyObject {
    /// Watches `descriptor` for `interest` from now on, and not at all if that is empty. Level-triggered: what was not
    /// read is told again.
    ///
    /// - Returns: 0, or the system's error number.
    func watch(_ descriptor: Int32, token: UInt64, from old: Readiness, to interest: Readiness) -> Int32

    /// Waits at most `milliseconds` (-1: without end, 0: not at all) for news or `wake`.
    ///
    /// - Returns: How many pieces of news there are to be read with `event(at:)`.
    func wait(milliseconds: Int32) -> Int

    func event(at index: Int) -> ReadyEvent

    /// Ends the wait that is going on, or else the next one. Any thread.
    func wake()
}

/// A descriptor that becomes readable when another thread says so: an eventfd, or a pipe where there is none.
final class WakeupDescriptor: Sendable {
    let reading: Int32
    private let writing: Int32

    init() throws(TransportError) {
        var ends: [Int32] = [-1, -1]
        guard lattice_wakeup(&ends) == 0 else { throw .system("make a wake-up line", lattice_errno()) }
        (reading, writing) = (ends[0], ends[1])
    }

    /// A full line is as good as one more signal, so the result does not matter.
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
