import CLatticeSystem
import DequeModule
package import LatticeConcurrency
import Synchronization

/// One thread that waits for sockets and runs jobs. It is the executor of every actor that lives on it.
///
/// The reactor works in ticks. A tick handles the events of sockets (at most one buffer from each), then jobs (at most
/// `jobsPerTick`), and then the requests for the end of the tick. A connection that floods therefore delays neither
/// other connections nor jobs, and jobs do not delay connections.
///
/// Jobs and work run in the order in which they were enqueued. Their queue has no limit of its own. As with every
/// executor, the callers limit the work that they enqueue. A reactor runs until `stop`, even if no reference to it is
/// left.
package final class Reactor: EventLoop, @unchecked Sendable {
    // Unchecked: `poller.wake` may be called on any thread, and `buffer` belongs to the event loop's thread. When a
    // thread follows another one, the lock of `inbox` orders them.

    /// The system call that waits for descriptors.
    package enum Backend: Sendable, CaseIterable {
        #if os(Linux)
        case epoll
        #endif
        case poll

        /// The first backend that the platform has.
        package static let platformDefault = allCases[0]
    }

    private static let jobsPerTick = 1024
    /// The number of times that the end of a tick may be repeated because of requests that it caused.
    private static let flushRounds = 4
    /// The time for which a thread that has just been busy spins for more work before it waits. An answer usually
    /// arrives sooner than an idle core wakes up (20 µs and more on virtual machines). In between, other threads get
    /// the core if they need it.
    private static let spinTime: Duration = .microseconds(50)
    /// The number of observers of `fairFlush` in one tick. They take about as long as one message takes to arrive.
    private static let slicesPerTick = 16
    /// The maximum number of bytes of one read.
    static let bufferSize = 256 * 1024
    private let name: String
    private let inbox = Locked(ReactorInbox())
    package let thread = LoopThread()
    /// A Boolean value that a busy thread can read without the lock.
    private let isStopRequested = Atomic(false)
    private let poller: any Poller

    /// The buffer for reading, which the connections use one after the other.
    package let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferSize, alignment: 4096)
    private let loopState: LoopBound<LoopState>

    /// The origin of work: the registrant with a token, or the entries of the inbox.
    private enum WorkSource {
        case registrant(UInt64)
        case inbox
    }

    private struct LoopState {
        var registrations = Registrations()
        /// The origin of the last work.
        var source = WorkSource.inbox
        var spinWaitAfterEntries = SpinWait()
        var timers = Timers()
        var flushes: [any TickObserver] = []
        var flushing: [any TickObserver] = []
        /// The observers of `fairFlush` that wait.
        var slices = Deque<any TickObserver>()
        /// The entries of the inbox that were taken and have not run yet.
        var batch = Deque<ReactorInbox.Entry>()
        var isStopping = false
        var signOfLife = SignOfLifePace()
        var isReturningMemory = false

        var isIdle: Bool { batch.isEmpty && flushes.isEmpty && slices.isEmpty }

        /// The time until the first timer, in the form of `poll` and `epoll_wait`: -1 waits forever.
        var millisecondsToFirstTimer: Int32 {
            mutating get {
                guard let first = timers.first() else { return -1 }
                return Int32(clamping: max(0, first - System.monotonicMilliseconds))
            }
        }

        mutating func takeFlushes() { swap(&flushes, &flushing) }

        /// The policy for spinning after work from a source.
        subscript(spinWaitAfter source: WorkSource) -> SpinWait {
            get {
                switch source {
                case .registrant(let token): registrations[spinWaitOf: token]
                case .inbox: spinWaitAfterEntries
                }
            }
            set {
                switch source {
                case .registrant(let token): registrations[spinWaitOf: token] = newValue
                case .inbox: spinWaitAfterEntries = newValue
                }
            }
        }
    }

    private init(name: String, poller: any Poller) {
        self.name = name
        self.poller = poller
        loopState = LoopBound(LoopState(), to: thread)
    }

    deinit {
        buffer.deallocate()
    }

    /// Creates a reactor and starts its thread.
    ///
    /// - Throws: `.system` if there is no room for another thread or descriptor.
    package static func start(
        name: String,
        backend: Backend = .platformDefault
    ) throws(TransportError) -> Reactor {
        let poller: any Poller
        switch backend {
        #if os(Linux)
        case .epoll: poller = try EpollPoller()
        #endif
        case .poll: poller = try PollPoller()
        }
        let reactor = Reactor(name: name, poller: poller)
        try System.startThread(name: name) { reactor.run() }
        return reactor
    }

    // MARK: Any thread

    package func enqueue(_ job: consuming ExecutorJob) {
        add(.job(UnownedJob(job)))
    }

    package func checkIsolated() {
        precondition(isCurrent, "Not on the thread of reactor \(name), where this actor lives.")
    }

    package func isIsolatingCurrentContext() -> Bool? {
        isCurrent
    }

    package func enqueue(_ job: UnownedJob, of executor: any TaskExecutor) {
        add(.taskJob(job, executor))
    }

    package func execute(_ work: @escaping @Sendable () -> Void) {
        add(.work(work))
    }

    package func executeIfRunning(_ work: @escaping @Sendable () -> Void) -> Bool {
        inbox.withLock { $0.addIfRunning(.work(work)) }
    }

    package func returnFreedMemorySoon() {
        perform { [self] in
            guard !loopState.value.isReturningMemory else { return }
            loopState.value.isReturningMemory = true
            after(milliseconds: 1000) { [self] in
                loopState.value.isReturningMemory = false
                lattice_return_freed_memory()
            }
        }
    }

    /// Closes everything that lives on the reactor, and ends its thread when no work is queued any more. It can be
    /// called more than once.
    ///
    /// Work that creates new work without end delays only the end of the thread.
    ///
    /// Jobs that are enqueued later still run, in order, on a thread that lives as long as there are jobs. An actor
    /// whose reactor was stopped is slow, but does not block forever.
    package func stop() {
        isStopRequested.store(true, ordering: .releasing)
        act(on: inbox.withLock { $0.requestStop() })
    }

    /// Returns when the thread has ended after `stop`, or when its only remaining work creates new work without end.
    package func stopped() async {
        await withCheckedContinuation { waiter in
            if !inbox.withLock({ $0.addWaiter(waiter) }) { waiter.resume() }
        }
    }

    private func add(_ entry: ReactorInbox.Entry) {
        act(on: inbox.withLock { $0.add(entry) })
    }

    private func act(on consequence: ReactorInbox.Consequence) {
        switch consequence {
        case .nothing:
            break
        case .wake:
            poller.wake()
        case .startThread:
            do {
                try System.startThread(name: name) { self.run() }
            } catch {
                // The entries stay. The next entry tries again to start a thread.
                inbox.withLock { $0.threadDidNotStart() }
            }
        }
    }

    // MARK: The event loop's thread

    package func atEndOfTick(_ observer: any TickObserver) {
        precondition(isCurrent, "The end of a tick is only known on the thread of reactor \(name).")
        loopState.value.flushes.append(observer)
    }

    package func fairFlush(_ observer: any TickObserver) {
        precondition(isCurrent, "Slices are only known on the thread of reactor \(name).")
        loopState.value.slices.append(observer)
    }

    package func register(_ registrant: any Registrant) -> Registration {
        if loopState.value.isStopping { execute { registrant.eventLoopStops() } }
        return loopState.value.registrations.add(registrant)
    }

    package func deregister(_ registration: Registration) {
        loopState.value.registrations.remove(registration)
    }

    /// Watches a descriptor.
    ///
    /// - Returns: 0, or the system's error number.
    package func watch(
        _ descriptor: Int32,
        _ registration: Registration,
        from old: Readiness,
        to interest: Readiness
    ) -> Int32 {
        poller.watch(descriptor, token: registration.token, from: old, to: interest)
    }

    @discardableResult
    package func after(milliseconds: Int64, _ work: @escaping @Sendable () -> Void) -> EventLoopTimer {
        let (moment, overflow) = System.monotonicMilliseconds.addingReportingOverflow(max(milliseconds, 0))
        return loopState.value.isStopping ? .never : loopState.value.timers.add(at: overflow ? .max : moment, work)
    }

    package func cancel(_ timer: EventLoopTimer) {
        loopState.value.timers.cancel(timer)
    }

    package func workGoesOn() {
        guard isCurrent else { return }
        let start = System.monotonicTime
        guard loopState.value.signOfLife.isDue(start) else { return }
        for registrant in loopState.value.registrations.all { registrant.isHeldUp() }
        loopState.value.signOfLife.gave(from: start, to: System.monotonicTime)
    }

    private func run() {
        thread.begin()
        // A timer alone is no reason to spin.
        var hadWork = true
        while true {
            if hadWork, loopState.value.isIdle { spin() }
            switch inbox.withLock({ $0.nextStep(isIdle: loopState.value.isIdle) }) {
            case .wait: hadWork = tick(waiting: loopState.value.millisecondsToFirstTimer)
            case .proceed: hadWork = tick(waiting: 0)
            case .closeRegistrants: closeRegistrants()
            case .notifyEnd: notifyEnd()
            case .end: return end()
            }
        }
    }

    /// Runs ticks that do not wait, until there was no work for a while.
    ///
    /// Whether it pays depends on where the last work came from. A coordinator that has passed on an event has an
    /// answer of the worker soon, but the next event of the client only after the client has run. For each source, the
    /// thread therefore remembers whether more work followed within the time of a spin. In `lattice-bench relay`, a
    /// round trip took 18 % more CPU time when the thread always spun, and had 38 context switches instead of 16. The
    /// spins kept the other two processes from the cores.
    private func spin() {
        while loopState.value.isIdle, !isStopRequested.load(ordering: .relaxed) {
            let source = loopState.value.source
            guard loopState.value[spinWaitAfter: source].begins() else { return }
            let hasWork = SpinWait.look(for: Self.spinTime) { tick(waiting: 0, at: $0 / 1_000_000) }
            loopState.value[spinWaitAfter: source].record(wasWorthIt: hasWork)
            guard hasWork else { return }
            sched_yield()
        }
    }

    /// Runs one tick.
    ///
    /// - Parameters:
    ///   - milliseconds: The maximum time to wait for events.
    ///   - time: The present time in milliseconds, if it is known and the tick does not wait.
    /// - Returns: Whether there was any work.
    @discardableResult
    private func tick(waiting milliseconds: Int32, at time: Int64? = nil) -> Bool {
        let count = poller.wait(milliseconds: milliseconds)
        loopState.value.signOfLife.tickBegins()
        if milliseconds != 0 { inbox.withLock { $0.didWake() } }
        for index in 0..<count {
            let event = poller.event(at: index)
            guard let registrant = loopState.value.registrations[event.token] else { continue }
            loopState.value.source = .registrant(event.token)
            registrant.ready(event.readiness)
        }
        if loopState.value.timers.earliest < .max {
            let time = time ?? System.monotonicMilliseconds
            if loopState.value.timers.earliest <= time { loopState.value.timers.takeDue(time).forEach { $0() } }
        }
        let hadEntries = runEntries()
        if hadEntries { loopState.value.source = .inbox }
        flush()
        if !loopState.value.slices.isEmpty { flushSlice() }
        return count > 0 || hadEntries
    }

    /// Runs the jobs and the work of one tick.
    ///
    /// - Returns: Whether there were any.
    private func runEntries() -> Bool {
        for count in 0..<Self.jobsPerTick {
            if loopState.value.batch.isEmpty {
                inbox.withLock { $0.takeEntries(into: &loopState.value.batch) }
                if loopState.value.batch.isEmpty { return count > 0 }
            }
            switch loopState.value.batch.removeFirst() {
            case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
            case .taskJob(let job, let executor): job.runSynchronously(on: executor.asUnownedTaskExecutor())
            case .work(let work): work()
            }
        }
        return true
    }

    private func flush() {
        // Requests that come during this do not need another check of the sockets, such as that of a session to which
        // the end of a tick gave something to write. Requests without end are handled in the next tick, which does not
        // wait.
        for _ in 0..<Self.flushRounds where !loopState.value.flushes.isEmpty {
            loopState.value.takeFlushes()
            for flush in loopState.value.flushing { flush.tickEnded() }
            loopState.value.flushing.removeAll(keepingCapacity: true)
        }
    }

    private func flushSlice() {
        for _ in 0..<min(loopState.value.slices.count, Self.slicesPerTick) {
            loopState.value.slices.removeFirst().tickEnded()
        }
    }

    private func closeRegistrants() {
        loopState.value.isStopping = true
        loopState.value.timers = Timers()
        for registrant in loopState.value.registrations.all { registrant.eventLoopStops() }
    }

    /// Ends the thread. The phase is `ended` already, so from here on another thread may run the work that is enqueued.
    private func end() {
        thread.end()
        notifyEnd()
    }

    private func notifyEnd() {
        inbox.withLock { $0.takeWaiters() }.resume()
    }
}
