// This file is for Linux only. Other systems use PollPoller.
#if os(Linux)

import CLatticeSystem

/// Waits with epoll. The cost of a wait does not grow with the number of descriptors.
final class EpollPoller: Poller {
    /// The maximum number of events of one wait. The remaining events come first the next time, so that no descriptor
    /// starves.
    private static let batch = 64
    private static let wakeToken = UInt64.max

    private let epoll: Int32
    private let wakeup: WakeupDescriptor
    private let events = UnsafeMutableBufferPointer<epoll_event>.allocate(capacity: batch)

    init() throws(TransportError) {
        wakeup = try WakeupDescriptor()
        epoll = epoll_create1(lattice_epoll_close_on_exec)
        guard epoll >= 0 else { throw .system("make an epoll", lattice_errno()) }
        // Edge-triggered, so that the descriptor does not have to be read to reset it, which saves a system call for
        // each wake-up.
        let flags = lattice_epoll_in | lattice_epoll_edge
        guard control(EPOLL_CTL_ADD, wakeup.reading, flags, Self.wakeToken) == 0 else {
            throw .system("watch a wake-up line", lattice_errno())
        }
    }

    func watch(_ descriptor: Int32, token: UInt64, from old: Readiness, to interest: Readiness) -> Int32 {
        var flags: UInt32 = 0
        if interest.contains(.readable) { flags |= lattice_epoll_in }
        if interest.contains(.writable) { flags |= lattice_epoll_out }
        // A descriptor without interest is removed, because epoll reports a hang-up even if it was not requested.
        let operation = interest.isEmpty ? EPOLL_CTL_DEL : old.isEmpty ? EPOLL_CTL_ADD : EPOLL_CTL_MOD
        guard old != interest else { return 0 }
        return control(operation, descriptor, flags, token) == 0 ? 0 : lattice_errno()
    }

    private func control(_ operation: Int32, _ descriptor: Int32, _ flags: UInt32, _ token: UInt64) -> Int32 {
        var event = epoll_event(events: flags, data: epoll_data_t(u64: token))
        return epoll_ctl(epoll, operation, descriptor, &event)
    }

    func wait(milliseconds: Int32) -> Int {
        let count = epoll_wait(epoll, events.baseAddress, Int32(events.count), milliseconds)
        return max(0, Int(count))
    }

    func event(at index: Int) -> ReadyEvent {
        let event = events[index]
        var readiness: Readiness = []
        if event.events & lattice_epoll_in != 0 { readiness.insert(.readable) }
        if event.events & lattice_epoll_out != 0 { readiness.insert(.writable) }
        if event.events & lattice_epoll_end != 0 { readiness.insert(.ended) }
        return ReadyEvent(token: event.data.u64, readiness: readiness)
    }

    func wake() {
        wakeup.signal()
    }

    deinit {
        if epoll >= 0 { System.close(epoll) }
        events.deallocate()
    }
}

#endif
