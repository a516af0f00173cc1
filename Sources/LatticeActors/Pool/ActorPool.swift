public import Distributed
import LatticeCalls
import LatticeConcurrency

/// A pool that spreads calls over all actors that serve a name.
///
/// A call takes an actor with a free slot. While no actor has one, the call waits. This way no call queues at a busy
/// worker while another worker is idle. Workers can start, leave and die while calls run. A call that has not begun
/// when its worker dies is made at another actor. A call that may have begun ends with its error, because only its
/// caller knows whether it may run twice.
///
/// A call occupies its slot until its method has ended, even after a deadline or a cancellation of the caller. An actor
/// on which a caller has given up gets no new calls until it has answered one. A method that never ends occupies its
/// slot until its worker ends. Set `WorkerLimits.callTimeout` in the coordinator to end such a worker.
///
/// ```swift
/// try await system.withPool(of: Thumbnailer.self, named: "thumbnailer") { pool in
///     try await withThrowingTaskGroup(of: [UInt8].self) { group in
///         for path in paths { group.addTask { try await pool.call { try await $0.thumbnail(of: path) } } }
///         for try await image in group { print(image.count) }
///     }
/// }
/// ```
public final class ActorPool<Act: DistributedActor>: Sendable where Act.ActorSystem == LatticeActorSystem {
    private typealias State = PoolState<LatticeActorID, PoolSlot>

    private let name: String
    private let system: LatticeActorSystem
    private let watched: WatchedName
    private let state: Locked<State>
    private let connectionTimeout: Duration

    fileprivate init(_ name: String, _ system: LatticeActorSystem, room: Int, connectionTimeout: Duration) {
        self.name = name
        self.system = system
        self.connectionTimeout = connectionTimeout
        watched = system.node.watch(name)
        state = Locked(State(room: room, maximumWaiting: ActorPoolLimits.maximumWaiting))
    }

    /// The actors that take part at the moment.
    public var members: [LatticeActorID] { state.withLock(\.present) }

    /// Makes a call at one of the actors, as soon as one has a free slot.
    ///
    /// - Parameters:
    ///   - key: A key that puts calls in order. Calls with the same key run one after the other, in the order of their
    ///     arrival. The exception is a call that has to be made again elsewhere: it begins after those that wait. With
    ///     nil, calls run in any order. The type of the key counts: `1` and `UInt8(1)` are two keys.
    ///   - isolation: The isolation of the caller. Do not pass it.
    ///   - body: Makes one call with the given actor. It runs again with another actor if the call had not begun when
    ///     the actor's process ended, so it must not contain more than one call.
    /// - Returns: The result of `body`.
    /// - Throws: Any error that `body` throws. ``ActorCallError`` with ``ActorCallError/Code/overloaded`` if 65,536
    ///   calls wait, with ``ActorCallError/Code/deadlinePassed`` if no actor had a free slot before the deadline of
    ///   `withDeadline`, and with ``ActorCallError/Code/unknownProcess`` if this process has had no connection to a
    ///   coordinator for longer than the pool's timeout and no actor of this process has a free slot, or if the
    ///   connection has been given up. `CancellationError` if the task is cancelled.
    public func call<Result>(
        key: (any Hashable & Sendable)? = nil,
        isolation: isolated (any Actor)? = #isolation,
        _ body: (Act) async throws -> Result
    ) async throws -> Result {
        let key = key.map { PoolKey($0) }
        while true {
            let member = try await take(key)
            let tracker = CallTracker()
            defer { end(key, at: member, tracker) }
            do {
                var id = try await system.agreed(on: member, as: Act.self)
                id.tracker = tracker
                return try await body(try Act.resolve(id: id, using: system))
            } catch let error as ActorCallError where error.isOfEndedProcess && error.actor == member {
                // The actor takes no more calls, and the list of those that serve the name will say so too.
                state.withLock { $0.leave(member) }
                watched.wake()
                try await ContinuousClock().wait(for: ActorPoolLimits.retryPause)
            }
        }
    }

    private func take(_ key: PoolKey?) async throws -> LatticeActorID {
        try Task.checkCancellation()
        let slot = PoolSlot(key)
        switch state.withLock({ $0.take(key: key) { slot } }) {
        case .run(let member):
            return member
        case .refuse:
            throw ActorCallError(
                .overloaded,
                "\(ActorPoolLimits.maximumWaiting) calls already wait for an actor \"\(name)\"; wait for some to end",
                .notSent
            )
        case .end(let reason):
            throw reason
        case .wait(let id):
            if let left = MonotonicDeadline.current.left {
                await slot.member.wait(atMost: left)
            } else {
                await slot.member.wait()
            }
            if !Task.isCancelled, slot.member.isComplete, let member = await slot.member.wait() {
                return try member.get()
            }
            _ = state.withLock { $0.stopWaiting(id) }
            // A member may have been assigned at the last moment, and is given back.
            if let member = slot.abandon() { end(key, at: member) }
            try Task.checkCancellation()
            throw late
        }
    }

    /// The error of a call for which no member had room before the deadline.
    private var late: ActorCallError {
        let (present, silent) = state.withLock { ($0.present.count, $0.silentCount) }
        let advice =
            switch (present, silent) {
            case (0, _) where !system.node.isConnected:
                "there is no connection to a coordinator; see whether it runs, or give the call more time"
            case (0, _): "no process serves it; start one, or give the call more time"
            case (_, 0): "give the call more time, or start more workers"
            default:
                "\(silent) of \(present) still run calls whose callers have given up, and get no calls before they"
                    + " answer; set WorkerLimits.callTimeout to have such workers ended"
            }
        return ActorCallError(
            .deadlinePassed,
            "no actor \"\(name)\" had room for the call before its deadline: \(advice)",
            .notSent
        )
    }

    private func end(_ key: PoolKey?, at member: LatticeActorID) {
        give(state.withLock { $0.end(key: key, at: member) })
    }

    /// Ends a call whose caller has its answer or has given up. Its slot becomes free when the method has ended.
    private func end(_ key: PoolKey?, at member: LatticeActorID, _ calls: CallTracker) {
        if calls.hasOverdueCalls { state.withLock { $0.isOverdue(at: member) } }
        if calls.whenNoneRuns({ [self] in end(key, at: member) }) { end(key, at: member) }
    }

    private func give(_ assigned: [(waiter: PoolSlot, member: LatticeActorID)]) {
        var rest = assigned[...]
        while let (slot, member) = rest.popFirst() {
            // A call that no longer waits ends at its member immediately.
            if !slot.give(member) { rest += state.withLock { $0.end(key: slot.key, at: member) } }
        }
    }

    /// Follows the list of members until the task is cancelled or the node has ended, and then closes the pool.
    fileprivate func run() async {
        defer { watched.end() }
        var (status, version) = watched.current
        var lost: ContinuousClock.Instant?
        while !Task.isCancelled {
            if status != .unconnected { lost = nil }
            var left: Duration?
            switch status {
            case .listed(let places):
                let members = places.compactMap { LatticeActorID($0, name: name) }
                give(state.withLock { $0.serve(members) })
            case .asked: break
            case .refused: await askAgain()
            case .unconnected:
                loseConnection()
                let start = lost ?? .now
                lost = start
                let rest = connectionTimeout - start.duration(to: .now)
                if rest > .zero { left = rest } else { refuse(unconnected) }
            case .lost(let reason): return end(with: unreachable(reason))
            case .ended: return end(with: ended)
            }
            (status, version) = await watched.next(after: version, atMost: left)
            // An actor that left because of what a call has seen may still be there.
            if state.withLock({ $0.takeHasLeft() }) {
                await askAgain()
                (status, version) = watched.current
            }
        }
        end(with: ended)
    }

    private func askAgain() async {
        // The loop ends when the task is cancelled, so the error is not needed.
        try? await ContinuousClock().wait(for: ActorPoolLimits.pause)
        watched.refresh()
    }

    /// Removes the members in other processes, which cannot be reached at the moment. Calls wait until the connection
    /// is back.
    private func loseConnection() {
        state.withLock { $0.loseConnection { $0.node == system.node.id } }
    }

    private func refuse(_ reason: ActorCallError) {
        for slot in state.withLock({ $0.refuse(reason) }) { slot.member.complete(.failure(reason)) }
    }

    private func end(with reason: ActorCallError) {
        for slot in state.withLock({ $0.close(reason) }) { slot.member.complete(.failure(reason)) }
    }

    private var ended: ActorCallError {
        ActorCallError(.refused, "the pool of \"\(name)\" has ended; make calls inside withPool only", .notSent)
    }

    private var unconnected: ActorCallError {
        unreachable(
            "the \(system.node.title) has had no connection to a coordinator for \(connectionTimeout), which is the"
                + " timeout of the pool; check whether the coordinator runs"
        )
    }

    private func unreachable(_ reason: String) -> ActorCallError {
        ActorCallError(.unknownProcess, "no actor \"\(name)\" can be reached: \(reason)", .notSent)
    }
}

/// Limits and intervals of a pool.
enum ActorPoolLimits {
    /// The maximum number of calls that wait for a member.
    static let maximumWaiting = 65_536
    /// The interval before the list of members is requested again because it was refused, or because a call has seen
    /// that a member takes no calls.
    static let pause: Duration = .milliseconds(20)
    /// The interval before a call is made at another actor.
    static let retryPause: Duration = .milliseconds(1)
}

extension LatticeActorSystem {
    /// Runs a closure with a pool of all actors that serve a name, in any process.
    ///
    /// - Parameters:
    ///   - type: The type of the actors, or the type that `@Resolvable` creates for one of their protocols.
    ///   - name: The name that the actors serve.
    ///   - callsPerActor: The maximum number of calls at one actor at a time, at least 1. Choose more than 1 for
    ///     methods that wait. Choose 2 for methods that compute for less than about 50 ms, so that the next call is
    ///     already there when one ends. Otherwise each call costs at least a quarter of a millisecond more. A call that
    ///     waits at an actor when the actor's process ends may have begun.
    ///   - connectionTimeout: The time for which calls wait while this process has no connection to a coordinator.
    ///     After it, waiting and later calls end with an error until the connection is back. Calls for which an actor
    ///     of this process has a free slot still run.
    ///   - isolation: The isolation of the caller. Do not pass it.
    ///   - body: Makes calls through the pool. The pool ends when it returns.
    /// - Returns: The result of `body`.
    /// - Throws: Any error that `body` throws.
    public func withPool<Act: DistributedActor, Result>(
        of type: Act.Type,
        named name: String,
        callsPerActor: Int = 1,
        connectionTimeout: Duration = .seconds(30),
        isolation: isolated (any Actor)? = #isolation,
        _ body: (ActorPool<Act>) async throws -> Result
    ) async throws -> Result where Act.ActorSystem == LatticeActorSystem {
        precondition(callsPerActor > 0, "An actor in a pool runs at least 1 call. Pass a callsPerActor of 1 or more.")
        let pool = ActorPool<Act>(name, self, room: callsPerActor, connectionTimeout: connectionTimeout)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask(executorPreference: ThreadPool.shared) { await pool.run() }
            defer { group.cancelAll() }
            return try await body(pool)
        }
    }
}

extension ActorCallError {
    /// A Boolean value that indicates whether the call was not made because the actor or its process has ended.
    fileprivate var isOfEndedProcess: Bool {
        delivery == .notSent && [.lost, .unknownProcess, .unknownActor].contains(code)
    }
}
