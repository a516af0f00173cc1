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

    /// The status of a service without problems.
    private static let running = "Running."

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
    /// keeps its meaning. A signal that was ignored when the program began stays ignored.
    ///
    /// A second signal ends the process at once, also while the program stops after the return of this function.
    ///
    /// - Parameters:
    ///   - reload: Reads the configuration again. If it throws an error, the error is the status of the service, and
    ///     the service continues.
    ///   - probe: Returns sentences about what does not work, or an empty array.
    /// - Throws: ``SystemdError`` if another part of the program handles the signals, or if systemd does not take the
    ///   first notification. Later notifications that are lost are sent again with the next probe.
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
        // One of them may be ignored since the program began: a shell does that to SIGINT for a program that it starts
        // in the background, and nohup to SIGHUP.
        guard stops.isEmpty || stops.contains(where: caught.contains) else { throw SystemdError.signalsTaken(stops) }
        try notifier?.send(.ready, .status(Self.running))
        await withTaskGroup(of: Void.self) { group in
            // Threads of the library, because tasks of the program may occupy Swift's thread pool.
            if let watchdog, notifier != nil {
                group.addTask(executorPreference: ThreadPool.shared) { await watch(watchdog, probe) }
            }
            if let reload {
                group.addTask(executorPreference: ThreadPool.shared) {
                    for await _ in reloads { await perform(reload) }
                }
            }
            await stop.wait()
            try? notifier?.send(.stopping, .status("Stopping."))
            group.cancelAll()
        }
    }

    private func perform(_ reload: @Sendable () async throws -> Void) async {
        // A notification that is lost here has no remedy: systemd waits for `READY=1` until its own timeout.
        try? notifier?.send(.reloading)
        var status = Self.running
        do { try await reload() } catch { status = "The configuration was not reloaded: \(error)" }
        try? notifier?.send(.ready, .status(status))
    }

    private func watch(_ watchdog: SystemdWatchdog, _ probe: @escaping @Sendable () async -> [String]) async {
        var shown: [String] = []
        while !Task.isCancelled {
            guard let problems = await answer(of: probe) else { return }
            // A ping that is lost is followed by others before the timeout.
            if problems.isEmpty { try? notifier?.send(.watchdog) }
            if problems != shown {
                try? notifier?.send(.status(problems.isEmpty ? Self.running : problems.joined(separator: " ")))
            }
            shown = problems
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
