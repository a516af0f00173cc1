package import LatticeConcurrency

/// An object that is called once after the batch of events and jobs in which it requested that. It writes there what
/// has gathered.
package protocol TickObserver: AnyObject, Sendable {
    /// Reports the end of the tick. Called on the event loop's thread.
    func tickEnded()
}

/// Work that waits for its time on an event loop, in milliseconds of the loop's own clock.
package typealias EventLoopTimer = Timers.Key

/// An object that lives on an event loop. All calls come on its thread.
package protocol Registrant: AnyObject, Sendable {
    /// Reports that the watched descriptor can be read or written.
    func ready(_ readiness: Readiness)
    /// Reports that the event loop ends.
    func eventLoopStops()
    /// Reports that the thread is busy with a large value and has not checked its descriptors for longer than a tick
    /// should take. It is called from inside that work.
    func isHeldUp()
}

extension Registrant {
    package func ready(_ readiness: Readiness) {}
    package func isHeldUp() {}
}

/// The state of a watched descriptor as the system reports it, and the states for which a descriptor is watched.
package struct Readiness: OptionSet, Sendable {
    /// The descriptor can be read.
    package static let readable = Readiness(rawValue: 1)
    /// The descriptor can be written.
    package static let writable = Readiness(rawValue: 2)
    /// The descriptor was hung up or has failed. Reading returns the reason. The system reports this even if it was not
    /// requested.
    package static let ended = Readiness(rawValue: 4)

    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }
}

/// The name of a registrant, which is never used twice.
package struct Registration: Sendable, Hashable {
    let token: UInt64

    package init(token: UInt64) {
        self.token = token
    }
}

/// The one thread on which everything about a connection happens, and the executor of every actor that lives on it.
///
/// The loop works in ticks. A tick handles the events that arrived, then jobs and work in the order in which they were
/// enqueued, and then the requests for the end of the tick.
package protocol EventLoop: SerialExecutor {
    /// The loop's thread, to which state can be bound by ``LoopBound``.
    var thread: LoopThread { get }

    /// A Boolean value that indicates whether the caller is on the loop's thread.
    var isCurrent: Bool { get }

    // MARK: Any thread

    /// Runs a job of a task that prefers `executor` in the same way as `execute`. The executor has this loop's thread.
    func enqueue(_ job: UnownedJob, of executor: any TaskExecutor)

    /// Runs `work` on the loop's thread, after the work that was enqueued before, never from inside this call.
    func execute(_ work: @escaping @Sendable () -> Void)

    /// Runs `work` like `execute`, unless the loop waits and would have to be woken.
    ///
    /// - Returns: Whether the work will run.
    func executeIfRunning(_ work: @escaping @Sendable () -> Void) -> Bool

    /// Returns freed memory to the system one second later. It is called after a large value was encoded or decoded as
    /// a whole, which is rare. By that time nothing should refer to that memory any more.
    func returnFreedMemorySoon()

    // MARK: The loop's thread

    /// Retains `registrant`, and informs it of long work and of the loop's end, until `deregister`.
    func register(_ registrant: any Registrant) -> Registration
    func deregister(_ registration: Registration)

    /// Calls `observer` once after the current events and jobs, before the thread waits again.
    ///
    /// Each call counts. A caller that may call this twice in a tick has to keep a flag.
    func atEndOfTick(_ observer: any TickObserver)

    /// Calls `observer` once, a few ticks later if many observers wait for that. In between, the thread checks its
    /// sockets. Writing the same message to many clients therefore does not delay the next message, which can then be
    /// sent together with it.
    func fairFlush(_ observer: any TickObserver)

    /// Runs `work` on the thread, not before `milliseconds` have passed. It does not run if the loop stops earlier.
    ///
    /// - Returns: The timer, for `cancel`.
    /// - Complexity: O(log *n*), where *n* is the number of waiting timers.
    @discardableResult
    func after(milliseconds: Int64, _ work: @escaping @Sendable () -> Void) -> EventLoopTimer

    /// Cancels a timer and releases its work.
    func cancel(_ timer: EventLoopTimer)

    /// Reports from inside long work that it makes progress, so that connections can send a sign of life to the other
    /// side while the thread does not check its sockets. It does nothing on other threads.
    ///
    /// - Complexity: O(1), or O(*n*) if signs of life are due, where *n* is the number of registrants.
    func workGoesOn()
}

extension EventLoop {
    package var isCurrent: Bool { thread.isCurrent }

    /// Runs `work` like `after(milliseconds:)`, at a moment of the clock.
    package func at(
        _ moment: ContinuousClock.Instant,
        _ work: @escaping @Sendable () -> Void
    ) -> EventLoopTimer {
        let (seconds, attoseconds) = ContinuousClock.now.duration(to: moment).components
        // Rounded up, and once more for the part of a millisecond that the count leaves out, so that the work never
        // runs early.
        let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        return after(milliseconds: overflow ? .max : milliseconds + attoseconds / 1_000_000_000_000_000 + 2, work)
    }

    /// Runs `work` now if this is the loop's thread, and otherwise enqueues it.
    package func perform(_ work: @escaping @Sendable () -> Void) {
        if isCurrent { work() } else { execute(work) }
    }

    /// Returns when the work that was enqueued before has run, together with what it left for the end of its tick.
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
