import CLatticeSystem

/// Waits with `poll`, which every system has. The cost of a wait grows with the number of descriptors.
final class PollPoller: Poller {
    private let wakeup: WakeupDescriptor
    /// The wake-up descriptor first, then each watched descriptor. `tokens` has the same order.
    private var watched: [pollfd]
    private var tokens: [UInt64] = [UInt64.max]
    private var places: [Int32: Int] = [:]
    private var ready: [ReadyEvent] = []

    init() throws(TransportError) {
        wakeup = try WakeupDescriptor()
        watched = [pollfd(fd: wakeup.reading, events: Int16(POLLIN), revents: 0)]
    }

    func watch(_ descriptor: Int32, token: UInt64, from old: Readiness, to interest: Readiness) -> Int32 {
        var flags: Int16 = 0
        if interest.contains(.readable) { flags |= Int16(POLLIN) }
        if interest.contains(.writable) { flags |= Int16(POLLOUT) }
        switch (places[descriptor], interest.isEmpty) {
        case (let place?, false):
            watched[place].events = flags
        case (let place?, true):
            remove(descriptor, at: place)
        case (nil, false):
            places[descriptor] = watched.count
            watched.append(pollfd(fd: descriptor, events: flags, revents: 0))
            tokens.append(token)
        case (nil, true):
            break
        }
        return 0
    }

    /// Removes a descriptor. The last one takes its place.
    private func remove(_ descriptor: Int32, at place: Int) {
        places[descriptor] = nil
        let (last, token) = (watched.removeLast(), tokens.removeLast())
        guard place < watched.count else { return }
        watched[place] = last
        tokens[place] = token
        places[last.fd] = place
    }

    func wait(milliseconds: Int32) -> Int {
        ready.removeAll(keepingCapacity: true)
        guard poll(&watched, nfds_t(watched.count), milliseconds) > 0 else { return 0 }
        if watched[0].revents != 0 { wakeup.drain() }
        for place in 1..<max(1, watched.count) where watched[place].revents != 0 {
            ready.append(ReadyEvent(token: tokens[place], readiness: readiness(of: watched[place].revents)))
        }
        return ready.count
    }

    private func readiness(of flags: Int16) -> Readiness {
        var readiness: Readiness = []
        if flags & Int16(POLLIN) != 0 { readiness.insert(.readable) }
        if flags & Int16(POLLOUT) != 0 { readiness.insert(.writable) }
        if flags & Int16(POLLHUP | POLLERR | POLLNVAL) != 0 { readiness.insert(.ended) }
        return readiness
    }

    func event(at index: Int) -> ReadyEvent {
        ready[index]
    }

    func wake() {
        wakeup.signal()
    }
}
