import LatticeConcurrency
public import LatticeCore
import LatticeProcess
import LatticeSession

/// Runs a coordinator for the duration of a closure.
///
/// The function starts the workers at once. It runs ``CoordinatorConfiguration/restoring``, then accepts clients and
/// calls the closure. When the closure returns or throws, running effects get `drainTimeout` to end. Then the workers
/// are ended, the clients get a goodbye, and the socket file is removed.
///
/// ```swift
/// try await withCoordinator(hosting: TallyFeature.self, listeningAt: path) { coordinator in
///     let viewModel = try await coordinator.viewModel(TallyFeature.self)
///     await viewModel.sendViewEvent(.scan(directory)).finish()
/// }
/// ```
///
/// If the configuration has a ``CoordinatorConfiguration/settingsFile``, SIGHUP reads it again and does not stop the
/// coordinator, see ``Coordinator/reload()``.
///
/// - Parameters:
///   - features: The features that the workers run. The executable of each worker must host the features of its group.
///   - path: The path of the socket for clients, or nil to accept no clients. It has at most 107 bytes (103 on Apple
///     platforms) and lies in a directory of this user.
///   - configuration: The settings of the coordinator.
///   - signals: The signals that stop the coordinator in order, whatever the closure does, and then end the process. A
///     second signal ends the process at once. A signal that the program handles or ignores itself when this function
///     is called is left to the program, and so is a signal for which the program installs a handler later.
///   - isolation: The isolation of the caller, in which the closure runs.
///   - body: A closure that uses the coordinator.
/// - Returns: The result of the closure.
/// - Throws: `CoordinatorError` if the coordinator cannot start, and the errors of the closure and of `restoring`.
public func withCoordinator<Result>(
    hosting features: any HostedFeature.Type...,
    listeningAt path: String? = nil,
    configuration: CoordinatorConfiguration = CoordinatorConfiguration(),
    signals: [EndingSignal] = [.terminate, .interrupt, .hangUp],
    isolation: isolated (any Actor)? = #isolation,
    _ body: (Coordinator) async throws -> Result
) async throws -> Result {
    try await withCoordinator(
        hosting: features,
        listeningAt: path,
        configuration: configuration,
        signals: signals,
        isolation: isolation,
        body
    )
}

/// Runs a coordinator for the duration of a closure, with the features in an array.
///
/// Use this function to pass the same list to `Worker.launchedBySupervisor(hosting:)`.
public func withCoordinator<Result>(
    hosting features: [any HostedFeature.Type],
    listeningAt path: String? = nil,
    configuration: CoordinatorConfiguration = CoordinatorConfiguration(),
    signals: [EndingSignal] = [.terminate, .interrupt, .hangUp],
    isolation: isolated (any Actor)? = #isolation,
    _ body: (Coordinator) async throws -> Result
) async throws -> Result {
    let coordinator = try Coordinator(hosting: features, listeningAt: path, configuration: configuration)
    defer { coordinator.close() }
    let signal = OneShot<Int32>()
    // Signals keep their default behaviour if the system has no descriptor or thread for the trap. The coordinator
    // starts nevertheless.
    let caught = try? SignalTrap.catch(signals.map(\.number)) { number in
        if number == EndingSignal.hangUp.number, coordinator.readsSettings { return coordinator.reloadSoon() }
        // A user who sends a second signal does not want to wait.
        if !signal.complete(number) { SignalTrap.raiseByDefault(number) }
    }
    defer { SignalTrap.release(caught ?? []) }
    return try await withThrowingTaskGroup(of: Void.self) { group in
        // These tasks run on threads of the library, because tasks of the program may occupy Swift's thread pool.
        group.addTask(executorPreference: ThreadPool.shared) { await coordinator.run() }
        group.addTask(executorPreference: ThreadPool.shared) {
            if let number = await signal.wait() { await coordinator.end(by: number) }
        }
        let result: Swift.Result<Result, any Error>
        do {
            try await coordinator.restore()
            result = .success(try await body(coordinator))
        } catch {
            result = .failure(error)
        }
        if signal.isComplete {
            // The task that received the signal is already stopping the coordinator and then ends the process.
            try? await group.waitForAll()
        } else {
            await withTaskExecutorPreference(ThreadPool.shared) { await coordinator.stop() }
        }
        group.cancelAll()
        return try result.get()
    }
}

extension Coordinator {
    /// Stops in order, then lets the signal end this process. If the stop takes longer than `stopTimeout`, for example
    /// because the main actor is blocked, the signal ends the process without waiting for it.
    fileprivate func end(by signal: Int32) async {
        await withTaskGroup(of: Void.self) { [stopTimeout] group in
            group.addTask { await self.stop() }
            group.addTask { try? await ContinuousClock().wait(for: stopTimeout) }
            await group.next()
            close()
            SignalTrap.raiseByDefault(signal)
        }
    }
}
