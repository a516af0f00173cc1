package import LatticeConcurrency

/// Told once after the batch of events and jobs in which it asked for that: the place to write what gathered.
package protocol TickObserver: AnyObject, Sendable {
    /// On the event loop's thread.
    func tickEnded()
}

/// Work that waits for its moment on an event loop; in milliseconds of the loop's own clock.
package typealias EventLoopTimer = Timers.Key

/// Something that lives on an event loop. All calls come on its thread.
package protocol Registrant: AnyObject, Sendable {
    /// There is something to read or write.
    func ready(_ readiness: Readiness)
    func eventLoopStops()
    /// The thread is busy with a large value and looks at no news for longer than a tick should take. Called from the
    /// middle of that.
    func isHeldUp()
}

extension Registrant {
    package func ready(_ readiness: Readiness) {}
    package func isHeldUp() {}
}

/// What the system says about a watched descriptor, and what a descriptor is watched for.
package struct Readiness: OptionSet, Sendable {
    package static let readable = Readiness(rawValue: 1)
    package static let writable = Readiness(rawValue: 2)
    /// Hung up or failed: reading says which. Told even to those who did not ask.
    package static let ended = Readiness(rawValue: 4)

    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }
}

/// Names a registrant; never used twice.
package struct Registration: Sendable, Hashable {
    let token: UInt64

    package init(token: UInt64) {
        self.token = token
    }
}

/// The one thread on which everything about a connection happens, and the executor of every actor that lives on it.
///
/// It works in ticks: what arrived, then jobs and work, first in, first out, then what asked for the end of the tick.
package protocol EventLoop: SerialExecutor {
    /// Whether the caller is on the loop's thread.
    var isCurrent: Bool { get }

    // MARK: Any thread

    /// Runs a job of a task that prefers `executor`, which has this loop's thread, as `execute` does.
    func enqueue(_ job: UnownedJob, of executor: any TaskExecutor)

    /// Runs `work` on the loop's thread, after what was enqueued before, never from inside this call.
    func execute(_ work: @escaping @Sendable () -> Void)

    /// The same, unless the loop waits and would have to be woken.
    ///
    /// - Returns: Whether it will run.
    func executeIfRunning(_ work: @escaping @Sendable () -> Void) -> Bool

    /// A large value was encoded or decoded whole, which is seldom: what was needed for that is given back to the
    /// system a second later, when what still refers to it should be gone.
    func returnFreedMemorySoon()

    // MARK: The loop's thread

    /// From now on `registrant` is kept, and told of long work and of the loop's end, until `deregister`.
    func register(_ registrant: any Registrant) -> Registration
    func deregister(_ registration: Registration)

    /// Calls `observer` once after the current events and jobs, before the thread waits again.
    ///
    /// Each call counts; whoever may ask twice in a tick keeps a flag.
    func atEndOfTick(_ observer: any TickObserver)

    /// Calls `observer` once, a few ticks later if many wait for that. In between the thread looks at its sockets, so
    /// that writing the same news to many does not hold up the next, which may then go out with it.
    func fairFlush(_ observer: any TickObserver)

    /// Runs `work` on the thread, not before `milliseconds` have passed; not at all if the loop stops earlier.
    ///
    /// - Returns: What `cancel` takes.
    /// - Complexity: O(log *n*), where *n* is the number of timers that wait.
    @discardableResult
    func after(milliseconds: Int64, _ work: @escaping @Sendable () -> Void) -> EventLoopTimer

    /// The work is not run any more, and let go of.
    func cancel(_ timer: EventLoopTimer)

    /// Says from the middle of long work that it goes on, so that connections can give a sign of life to the other side
    /// while nobody looks at the sockets. Elsewhere than on the thread it does nothing.
    ///
    /// - Complexity: O(1); O(*n*) where signs of life are due, *n* being the number of registrants.
    func workGoesOn()
}

extension EventLoop {
    /// Like `after(milliseconds:)`, for a moment of the clock.
    package func at(
        _ moment: ContinuousClock.Instant,
        _ work: @escaping @Sendable () -> Void
    ) -> EventLoopTimer {
        let (seconds, attoseconds) = ContinuousClock.now.duration(to: moment).components
        // Rounded up, and up again for the part of a millisecond that the count leaves out: never early.
        let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        return after(milliseconds: overflow ? .max : milliseconds + attoseconds / 1_000_000_000_000_000 + 2, work)
    }

    /// Runs `work` now if this is the loop's thread, and enqueues it otherwise.
    package func perform(_ work: @escaping @Sendable () -> Void) {
        if isCurrent { work() } else { execute(work) }
    }

    /// Returns when what was enqueued before has run, and what that left for the end of its tick.
    package func endOfTick() async {
        await withCheckedContinuation { waiter in
            execute { self.atEndOfTick(TickWaiter(waiter)) }
        }
    }
}

private final class TickWaiter: TickObserver {
    private let waiter: CheckedContinuation<Void, Never>

    init(_ waiter: CheckedContinuation<Void, Never>) {
        self.waiter = waiter
    }

    func tickEnded() {
        waiter.resume()
    }
}
