import LatticeConcurrency
public import LatticeCore
import LatticeSession
import LatticeTransport

/// Runs a coordinator for the time of a closure.
///
/// The workers are started at once. When ``CoordinatorConfiguration/restoring`` has returned, clients can connect, and
/// the closure runs. When the closure returns or throws, effects get `drainTimeout` to end, then the workers are ended,
/// clients are told, and the socket file is removed.
///
/// ```swift
/// try await withCoordinator(hosting: TallyFeature.self, listeningAt: path) { coordinator in
///     let viewModel = try await coordinator.viewModel(TallyFeature.self)
///     await viewModel.sendViewEvent(.scan(directory)).finish()
/// }
/// ```
///
/// - Parameters:
///   - features: What the workers run. The executable of each must host those of its group.
///   - path: Where clients connect: at most 107 bytes (103 on Apple platforms), in a directory of this user. nil:
///     nowhere.
///   - signals: Those of which this process would end are answered by the same end in order, whatever the closure does;
///     then they end the process. A second one ends it at once. Signals that the program handles or ignores itself when
///     this is called are left to it, and so is one for which it installs a handler later.
///   - isolation: The caller's; the closure runs there.
/// - Throws: `CoordinatorError`, and what the closure or `restoring` throws.
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

/// The same for features that are listed elsewhere, as `Worker.launchedBySupervisor(hosting:)` takes them, too.
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
    // Without a descriptor or a thread for them, signals do what they do by default: no reason not to start.
    let caught = try? SignalTrap.catch(signals.map(\.number)) { number in
        // Whoever asks twice does not want to wait.
        if !signal.complete(number) { SignalTrap.raiseByDefault(number) }
    }
    defer { SignalTrap.release(caught ?? []) }
    return try await withThrowingTaskGroup(of: Void.self) { group in
        // On threads of our own: tasks of the program may keep those of Swift busy.
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
            // The end is under way already, and it is the process's.
            try? await group.waitForAll()
        } else {
            await withTaskExecutorPreference(ThreadPool.shared) { await coordinator.stop() }
        }
        group.cancelAll()
        return try result.get()
    }
}

extension Coordinator {
    /// Stops in order, and lets the signal end this process; also if the stop takes too long, as it does where the main
    /// actor is blocked.
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
