import LatticeConcurrency
public import LatticeCore
import LatticeProcess
import LatticeSession
import LatticeTransport

extension Coordinator {
    /// Reads the numbers that metrics show: clients, queues, and what the processes use.
    ///
    /// The function waits for the event loop, so it does not return while the event loop is blocked. It costs some tens
    /// of microseconds for each worker, and less than one for each instance. You can call it on any thread.
    ///
    /// ```swift
    /// let figures = await coordinator.figures()
    /// print(figures.clients, figures.features.map(\.waitingEvents))
    /// ```
    public func figures() async -> RuntimeFigures {
        let (instant, begin) = (ContinuousClock.now, MonotonicTime.nanoseconds)
        let start = await withCheckedContinuation { waiter in
            eventLoop.execute { waiter.resume(returning: MonotonicTime.nanoseconds) }
        }
        let supervisors = placement.supervisors.map(\.figures)
        return RuntimeFigures(
            instant: instant,
            clients: clientRegistry.places.clients,
            quarantinedEvents: quarantine.events.count,
            features: await featureFigures(),
            workers: supervisors.map { RuntimeFigures.Worker(group: $0.member.group, state: $0.state) },
            processes: [RuntimeFigures.Process(nil, ProcessIdentity.own)]
                + supervisors.flatMap { worker in
                    // The process of a standby belongs to the group too.
                    [worker.processID, worker.standbyProcessID].compactMap(\.self)
                        .map { RuntimeFigures.Process(worker.member.group, $0) }
                },
            eventLoopLag: .nanoseconds(max(0, start - begin))
        )
    }

    /// Returns a sentence for each worker that does not answer and should have been ended for it.
    ///
    /// A worker that hangs is ended after ``WorkerLimits/turnTimeout`` if it is in a turn, and after
    /// ``CoordinatorConfiguration/heartbeatTimeout`` otherwise. One that writes a crash report is ended after
    /// ``CoordinatorConfiguration/backtraceTimeout``. The function returns a worker that is still there 5 seconds after
    /// the limits that apply to it. Workers that start, stop or wait for their restart are not among them.
    ///
    /// The function waits for the event loop, so it does not return while the event loop is blocked. Use it as the
    /// probe of a watchdog. You can call it on any thread.
    public func unresponsiveWorkers() async -> [String] {
        await withCheckedContinuation { waiter in eventLoop.execute { waiter.resume() } }
        return placement.supervisors.map(\.figures).filter(\.isOverdue).map { worker in
            let process = worker.processID.map { " (process \($0))" } ?? ""
            return "The worker \"\(worker.member.title)\"\(process) does not answer, and was not ended."
        }
    }

    private func featureFigures() async -> [RuntimeFigures.Feature] {
        let instances = await eventLoop.gather(registry.hosts, size: \.1.view.subscribers) { key, host in
            (key.feature, host.figures)
        }
        // A feature without instances has figures too, so that its metrics do not vanish.
        var features = Dictionary(
            uniqueKeysWithValues: registry.identifiers.map { ($0, RuntimeFigures.Feature(identifier: $0)) }
        )
        for (identifier, figures) in instances {
            features[identifier]?.instances += 1
            features[identifier]?.waitingEvents += figures.events.waiting
            features[identifier]?.runningEvents += figures.events.running
            features[identifier]?.subscribers += figures.view.subscribers
        }
        return features.values.sorted { $0.identifier < $1.identifier }
    }
}

extension RuntimeFigures.Process {
    /// Reads what a process uses from the system.
    fileprivate init(_ group: String?, _ process: Int32) {
        let figures = ProcessFigures(of: process)
        self.init(
            group: group,
            processID: process,
            cpuTime: figures.cpuTime,
            residentBytes: figures.residentBytes,
            openFiles: figures.openFiles
        )
    }
}
