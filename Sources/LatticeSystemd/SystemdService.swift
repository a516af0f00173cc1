import LatticeConcurrency
import LatticeProcess
import LatticeTransport

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Runs this process as a service of systemd until systemd stops it.
///
/// ```swift
/// try await withCoordinator(hosting: Counter.self, listeningAt: path, signals: []) { coordinator in
///     try await SystemdService().run { await coordinator.unresponsiveWorkers() }
/// }
/// ```
///
/// It also works without systemd, for example in a terminal or a container. Then it only waits for the signals.
public struct SystemdService: Sendable {
    /// Sends the notifications. Nil if the process was not started by a manager that wants them.
    public let notifier: SystemdNotifier?
    let watchdog: SystemdWatchdog?

    /// The time between two attempts to report the end of a reload.
    static let retryInterval: Duration = .seconds(1)
    /// The maximum number of attempts to report the end of a reload. By default systemd waits for it for 90 seconds.
    static let maximumAttempts = 90

    /// Creates the service of this process from its environment.
    ///
    /// - Throws: ``SystemdError`` with the code `invalidVariable` if a variable has another form than systemd gives it.
    public init() throws(SystemdError) {
        var variables: [String: String] = [:]
        for name in ["WATCHDOG_USEC", "WATCHDOG_PID"] {
            if let value = getenv(name) { variables[name] = String(cString: value) }
        }
        notifier = try SystemdNotifier.fromEnvironment()
        watchdog = try SystemdWatchdog(variables, process: getpid())
    }

    init(notifier: SystemdNotifier?, watchdog: SystemdWatchdog?) {
        self.notifier = notifier
        self.watchdog = watchdog
    }

    /// Reports that the service is ready, and returns when it shall stop: after SIGTERM or SIGINT, or when the task is
    /// cancelled.
    ///
    /// If the unit has `WatchdogSec=`, the function calls `probe` three times in that period, and tells systemd that
    /// the service works each time `probe` returns no problem. If `probe` hangs or returns problems for the whole
    /// period, systemd ends the process and starts it again.
    ///
    /// After SIGHUP it calls `reload` and reports the beginning and the end to systemd. Without `reload` the signal
    /// keeps its meaning. A signal that was ignored when the program began stays ignored. A SIGTERM that arrives before
    /// the call of this function ends the process at once.
    ///
    /// A second signal ends the process at once, also while the program stops after the return of this function.
    ///
    /// - Parameters:
    ///   - reload: Reads the configuration again. If it throws an error, the error is the status of the service, and
    ///     the service continues.
    ///   - probe: Returns sentences about what does not work, or an empty array.
    /// - Throws: ``SystemdError`` if another part of the program handles one of the signals, if the program ignores one
    ///   that systemd sends, or if systemd does not take the first notification. A later notification that is lost is
    ///   sent again with the next probe, and the end of a reload each second, at most 90 times.
    public func run(
        reload: (@Sendable () async throws -> Void)? = nil,
        probe: @escaping @Sendable () async -> [String]
    ) async throws {
        try await run(stoppedBy: [SIGTERM, SIGINT], reloadedBy: SIGHUP, reload: reload, probe: probe)
    }

    func run(
        stoppedBy stops: [Int32],
        reloadedBy hangUp: Int32,
        reload: (@Sendable () async throws -> Void)?,
        probe: @escaping @Sendable () async -> [String]
    ) async throws {
        let stop = OneShot<Void>()
        // Further requests during a reload are one request.
        let (reloads, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let wanted = stops + (reload == nil ? [] : [hangUp])
        let caught: [Int32]
        do throws(TransportError) {
            caught = try SignalTrap.catch(wanted) { number in
                if !stops.contains(number) {
                    continuation.yield()
                } else if !stop.complete(()) {
                    // A user who sends a second signal does not want to wait.
                    SignalTrap.raiseByDefault(number)
                }
            }
        } catch {
            throw SystemdError.noResources(error.message)
        }
        defer { SignalTrap.release(caught) }
        try check(caught, of: wanted, stops: stops)
        let reporter = SystemdReporter(notifier)
        try reporter.send()
        await withTaskGroup(of: Void.self) { group in
            // Threads of the library, because tasks of the program may occupy Swift's thread pool.
            if let watchdog, notifier != nil {
                group.addTask(executorPreference: ThreadPool.shared) { await watch(watchdog, reporter, probe) }
            }
            if let reload {
                group.addTask(executorPreference: ThreadPool.shared) {
                    for await _ in reloads { await perform(reload, reporter) }
                }
            }
            await stop.wait()
            // No other notification follows the last one.
            group.cancelAll()
            await group.waitForAll()
            // The service stops, whether systemd hears it or not.
            try? notifier?.send(.stopping, .status("Stopping."))
        }
    }

    /// Checks that the signals reach this service.
    ///
    /// A signal may be ignored since the program began: a shell does that to SIGINT for a program that it starts in the
    /// background, and nohup to SIGHUP. systemd ignores none of those that it sends, which are the first one of `stops`
    /// and that for a reload.
    private func check(_ caught: [Int32], of wanted: [Int32], stops: [Int32]) throws(SystemdError) {
        let missing = wanted.filter { !caught.contains($0) }
        let needed = notifier == nil ? [] : wanted.filter { $0 == stops.first || !stops.contains($0) }
        let taken = missing.filter { needed.contains($0) || !SignalTrap.isIgnored($0) }
        guard taken.isEmpty else { throw .signalsTaken(taken) }
        guard stops.isEmpty || stops.contains(where: caught.contains) else { throw .signalsTaken(stops) }
    }

    private func perform(_ reload: @escaping @Sendable () async throws -> Void, _ reporter: SystemdReporter) async {
        reporter.update { $0.reloadBegins() }
        // If the message is lost, it is due again after the reload.
        try? reporter.send()
        // The task is unstructured, so that a reload that hangs does not keep the service from stopping.
        let end = OneShot<(any Error)?>()
        let task = Task(executorPreference: ThreadPool.shared) {
            do {
                try await reload()
                end.complete(nil)
            } catch {
                end.complete(error)
            }
        }
        guard let error = await end.wait() else { return task.cancel() }
        reporter.update { $0.reloadEnded(error) }
        for _ in 0..<Self.maximumAttempts {
            do {
                return try reporter.send()
            } catch {
                do { try await Task.sleep(for: Self.retryInterval) } catch { return }
            }
        }
    }

    private func watch(
        _ watchdog: SystemdWatchdog,
        _ reporter: SystemdReporter,
        _ probe: @escaping @Sendable () async -> [String]
    ) async {
        while !Task.isCancelled {
            guard let problems = await answer(of: probe), !Task.isCancelled else { return }
            // A ping that is lost is followed by others before the timeout.
            if problems.isEmpty { try? notifier?.send(.watchdog) }
            reporter.update { $0.probed(problems) }
            // What is lost is due again after the next probe.
            try? reporter.send()
            do { try await Task.sleep(for: watchdog.interval) } catch { return }
        }
    }

    /// Returns the problems that a probe found, or nil if this task is cancelled first. The task of the probe is
    /// unstructured, so that a probe that hangs does not keep the service from stopping.
    private func answer(of probe: @escaping @Sendable () async -> [String]) async -> [String]? {
        let answer = OneShot<[String]>()
        Task(executorPreference: ThreadPool.shared) { answer.complete(await probe()) }
        return await answer.wait()
    }
}
