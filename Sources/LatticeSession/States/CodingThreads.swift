import DequeModule
import LatticeConcurrency

/// Where large states are encoded, decoded and compared: on threads that are nobody's event loop, so that events,
/// cancels and heartbeats go on meanwhile.
///
/// A thread is started when there is work and ends when there is none. That takes some 50 µs, which is little beside
/// the coding of a large state, and idle programs have no such threads.
package enum CodingThreads {
    /// A state of so many bytes is large, and coded here: it takes a millisecond or so, many times what the hop to
    /// another thread and back takes.
    package static let largeBytes = 256 * 1024

    /// So many threads at a time: with one, a state that takes seconds would hold up those of all other features; more
    /// would take the processors from the event loops.
    static let maximumThreads = 2

    private struct Core {
        var works: Deque<@Sendable () -> Void> = []
        var threads = 0
    }

    private static let core = Locked(Core())

    /// Runs `work` on one of the threads, in turn. Any thread; never from inside this call.
    package static func run(_ work: @escaping @Sendable () -> Void) {
        let needsThread = core.withLock { core in
            core.works.append(work)
            guard core.threads < maximumThreads else { return false }
            core.threads += 1
            return true
        }
        guard needsThread else { return }
        do throws(SystemThread.NoRoom) {
            try SystemThread.start(name: "lattice-coding") { drain() }
        } catch {
            // The system has no room for a thread, but has some already. Parentless: it ends with the work.
            Task { drain() }
        }
    }

    private static func drain() {
        while let work = next() { work() }
    }

    /// - Returns: Nil when the thread is to end.
    private static func next() -> (@Sendable () -> Void)? {
        core.withLock { core in
            if let work = core.works.popFirst() { return work }
            core.threads -= 1
            return nil
        }
    }
}
