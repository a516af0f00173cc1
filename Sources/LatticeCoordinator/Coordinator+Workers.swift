import LatticeConcurrency
public import LatticeCore

extension Coordinator: ActorProcess {
    /// The object that sends and receives the calls of actors. It is an implementation detail of Lattice.
    public var _actorNode: any Sendable { node }
}

// Workers that were given up, and the number of workers of a group.
extension Coordinator {
    /// Starts the workers again that their supervisors have given up on, which `hostStatus` shows as `failed`.
    ///
    /// The function does nothing for other workers. A worker that hangs is ended by its ``WorkerLimits``. When the
    /// function returns, events are accepted again and wait for the new workers.
    ///
    /// - Returns: The action for each worker, or the reason why there was none.
    /// - Complexity: O(*n* log *n*), where *n* is the number of open instances.
    @discardableResult
    public func resetWorker() async -> [WorkerReset] {
        await reset { await placement.forEach($0) }
    }

    /// Starts the worker of a feature again if its supervisor has given up on it. This also serves the other features
    /// that share the worker.
    ///
    /// - Parameters:
    ///   - feature: One of the features that the coordinator hosts. The function does nothing for other features.
    ///   - instance: The key of the instance whose worker to reset, if each instance has a worker of its own, or nil
    ///     for the workers of all instances.
    /// - Returns: The action for each worker, as in ``resetWorker()``. The array is empty if the feature or the
    ///   instance has no worker.
    @discardableResult
    public func resetWorker<Feature: HostedFeature>(
        of feature: Feature.Type,
        instance: String? = nil
    ) async -> [WorkerReset] {
        await reset { reset in
            guard let instance else { return await placement.forEach(of: Feature.identifier, reset) }
            let key = FeatureRegistry.Key(feature: Feature.identifier, instance: instance)
            if let supervisor = placement.supervisor(of: key) { await reset(supervisor) }
        }
    }

    /// - Parameter forEach: A function that calls its argument with the supervisor of each worker to reset.
    private func reset(
        _ forEach: (@escaping @Sendable (WorkerSupervisor) async -> Void) async -> Void
    ) async -> [WorkerReset] {
        let resets = Locked<[WorkerReset]>([])
        await forEach { supervisor in
            let reset = await supervisor.reset()
            resets.withLock { $0.append(reset) }
        }
        // The view models have the new status, too.
        await settle()
        await MainActor.run {}
        return resets.withLock(\.self)
    }

    /// Changes the number of workers of a group without features while the workers run.
    ///
    /// New workers start at once. When the number becomes smaller, the workers that were started last leave first. They
    /// accept no more calls, and end when their running calls have ended, but not later than
    /// ``WorkerGroup/shutdownTimeout``.
    ///
    /// - Parameters:
    ///   - group: The name of a group that was created with ``WorkerGroup/init(_:workers:)``.
    ///   - count: The new number of workers, 0 to ``WorkerGroup/maximumWorkers``.
    /// - Throws: `CoordinatorError` with the code `invalid` for another group or another number, and when the
    ///   coordinator is stopping.
    public func setWorkers(of group: String, to count: Int) throws {
        guard 0...WorkerGroup.maximumWorkers ~= count else {
            throw CoordinatorError.invalid(
                "A group can have 0 to \(WorkerGroup.maximumWorkers) workers, not \(count). Choose a number in that"
                    + " range."
            )
        }
        guard try placement.setWorkers(of: group, to: count) else {
            throw CoordinatorError.invalid(
                "There is no group without features that is called \"\(group)\". Create it with"
                    + " WorkerGroup(_:workers:)."
            )
        }
    }
}
