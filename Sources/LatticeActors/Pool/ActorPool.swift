public import Distributed
import LatticeConcurrency
import LatticeSession

/// Spreads calls over all actors that serve a name.
///
/// A call takes an actor that has room; while none has, it waits: so no call stands in line at one worker while another
/// is idle. A worker that dies, starts, or leaves changes who takes part, while calls run. A call that has not begun
/// when its worker dies is made elsewhere; one that may have begun ends with its error, as only its caller knows
/// whether it may be made twice.
///
/// A call has its place at an actor as long as its method runs, also after its deadline or a cancellation. An actor on
/// which a caller has given up gets no calls until it has answered one. A method that never ends keeps its place until
/// its worker ends: `WorkerLimits.call` of the coordinator ends such a worker.
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
    private let state: Locked<State>
    private let connectionTimeout: Duration

    fileprivate init(_ name: String, _ system: LatticeActorSystem, room: Int, connectionTimeout: Duration) {
        self.name = name
        self.system = system
        self.connectionTimeout = connectionTimeout
        state = Locked(State(room: room, maximumWaiting: ActorPoolLimits.maximumWaiting))
    }

    /// The actors that take part at the moment.
    public var members: [LatticeActorID] { state.withLock(\.present) }

    /// Makes a call at one of the actors, when one has room.
    ///
    /// - Parameters:
    ///   - key: Calls of one key run one after the other, in the order in which they came here, but for one that has to
    ///     be made elsewhere, which begins behind those that wait; nil: in any order. Its type counts: `1` and
    ///     `UInt8(1)` are two keys.
    ///   - body: Makes the call, with the actor that it is given: one call, since it is done again with another actor
    ///     if the call had not begun when the actor's process ended.
    /// - Throws: What `body` throws; ``ActorCallError`` with ``ActorCallError/Code/overloaded`` if 65,536 calls wait,
    ///   with ``ActorCallError/Code/deadlinePassed`` if none had room by the deadline of `withDeadline`, and with
    ///   ``ActorCallError/Code/unknownProcess`` if this process has had no connection to a coordinator for longer than
    ///   the limit of the pool, and none of its own actors has room, or if it will have none any more;
    ///   `CancellationError`.
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
                // It takes no calls any more, which the list of those that serve the name will say too; or nobody is to
                // be reached at all.
                if system.node.isConnected { state.withLock { $0.leave(member) } } else { loseConnection() }
                try await ContinuousClock().wait(for: ActorPoolLimits.retryPause)
            }
        }
    }

    private func take(_ key: PoolKey?) async throws -> LatticeActorID {
        try Task.checkCancellation()
        let turn = PoolSlot(key)
        switch state.withLock({ $0.take(key: key) { turn } }) {
        case .run(let member):
            return member
        case .refuse:
            throw ActorCallError(
                .overloaded,
                "\(ActorPoolLimits.maximumWaiting) calls wait for an actor \"\(name)\"; wait for some to end",
                .notSent
            )
        case .end(let reason):
            throw reason
        case .wait(let id):
            if let left = TaskDeadline.current.map({ ContinuousClock.now.duration(to: $0) }) {
                await turn.member.wait(atMost: left)
            } else {
                await turn.member.wait()
            }
            if !Task.isCancelled, turn.member.isComplete, let member = await turn.member.wait() {
                return try member.get()
            }
            _ = state.withLock { $0.stopWaiting(id) }
            // It got one at the last moment, and does not need it.
            if let member = turn.abandon() { end(key, at: member) }
            try Task.checkCancellation()
            throw late
        }
    }

    /// No member had room before the deadline.
    private var late: ActorCallError {
        let (present, silent) = state.withLock { ($0.present.count, $0.silentCount) }
        let advice =
            switch (present, silent) {
            case (0, _) where !system.node.isConnected:
                "there is no connection to a coordinator; see whether it runs, or give the call more time"
            case (0, _): "no process serves it; start one, or give the call more time"
            case (_, 0): "give the call more time, or start more workers"
            default:
                "\(silent) of \(present) still run calls whose callers have given up, and get no calls before they answer;"
                    + " set WorkerLimits.call to have such workers ended"
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

    /// The caller has its answer, or has given up: the place is free when the method runs no longer.
    private func end(_ key: PoolKey?, at member: LatticeActorID, _ calls: CallTracker) {
        if calls.hasOverdueCalls { state.withLock { $0.isOverdue(at: member) } }
        if calls.whenNoneRuns({ [self] in end(key, at: member) }) { end(key, at: member) }
    }

    private func give(_ assigned: [(waiter: PoolSlot, member: LatticeActorID)]) {
        var rest = assigned[...]
        while let (turn, member) = rest.popFirst() {
            // Whoever does not wait any more has ended with it.
            if !turn.give(member) { rest += state.withLock { $0.end(key: turn.key, at: member) } }
        }
    }

    /// Keeps the members, until the task is cancelled or the node is at its end. Then the pool is at its own.
    fileprivate func run() async {
        var known: UInt64 = 0
        var lost: ContinuousClock.Instant?
        while !Task.isCancelled, !system.node.hasEnded, system.node.lostHub == nil {
            // Whoever has left by what a call has seen may be there all the same.
            if state.withLock({ $0.takeHasLeft() }) { known = 0 }
            if system.node.isConnected { lost = nil } else if lost == nil { lost = .now }
            let left = lost.map { connectionTimeout - $0.duration(to: .now) }.flatMap { $0 > .zero ? $0 : nil }
            let poll = min(ActorPoolLimits.longestPoll, left ?? ActorPoolLimits.longestPoll)
            switch await system.node.servers(of: name, knowing: known, within: poll) {
            case .success(let (version, places)):
                // What is asked for anew is not asked for at once.
                if version == known || known == 0 { await pause() }
                known = version
                lost = nil
                let members = places.compactMap { LatticeActorID($0, name: name) }
                give(state.withLock { $0.serve(members) })
            case .failure:
                known = 0
                if !system.node.isConnected {
                    loseConnection()
                    if let lost, lost.duration(to: .now) >= connectionTimeout { refuse(unconnected) }
                }
                await pause()
            }
        }
        end(with: system.node.lostHub.map { unreachable($0) } ?? ended)
    }

    /// Nothing elsewhere can be reached at the moment. Calls wait until the connection is back.
    private func loseConnection() {
        state.withLock { $0.loseConnection { $0.node == system.node.id } }
    }

    private func refuse(_ reason: ActorCallError) {
        for turn in state.withLock({ $0.refuse(reason) }) { turn.member.complete(.failure(reason)) }
    }

    private func end(with reason: ActorCallError) {
        for turn in state.withLock({ $0.close(reason) }) { turn.member.complete(.failure(reason)) }
    }

    private var ended: ActorCallError {
        ActorCallError(.refused, "the pool of \"\(name)\" has ended; call inside of withPool", .notSent)
    }

    private var unconnected: ActorCallError {
        unreachable(
            "the \(system.node.title) has had no connection to a coordinator for \(connectionTimeout), which is the limit of"
                + " the pool; see whether the coordinator runs"
        )
    }

    private func unreachable(_ reason: String) -> ActorCallError {
        ActorCallError(.unknownProcess, "no actor \"\(name)\" can be reached: \(reason)", .notSent)
    }

    private func pause() async {
        // Cancelled: the loop ends.
        try? await ContinuousClock().wait(for: ActorPoolLimits.pause)
    }
}

/// How much a pool holds on to.
enum ActorPoolLimits {
    static let maximumWaiting = 65_536
    /// After so long it asks again who serves the name, if nothing has changed.
    static let longestPoll: Duration = .seconds(5)
    /// Between two questions, where there is nobody to ask, or nothing is known any more.
    static let pause: Duration = .milliseconds(20)
    /// Before a call is made elsewhere.
    static let retryPause: Duration = .milliseconds(1)
}

extension LatticeActorSystem {
    /// Lends a pool of all actors that serve a name, wherever they are.
    ///
    /// - Parameters:
    ///   - type: The actors', or what `@Resolvable` makes of a protocol of theirs.
    ///   - callsPerActor: How many calls are at one actor at a time, from 1 on: more than 1 for what waits, and 2 for
    ///     what computes for less than some 50 ms, so that the next call is there when one ends: otherwise that costs
    ///     a quarter of a millisecond and more. One that was there when its process ended may have begun.
    ///   - connectionTimeout: How long calls wait while this process has no connection to a coordinator. Then they end,
    ///     and later ones too, until there is a connection again, but for those that an actor of this process takes at
    ///     once.
    ///   - isolation: The caller's; leave it out.
    ///   - body: Calls, through the pool.
    /// - Throws: What `body` throws.
    public func withPool<Act: DistributedActor, Result>(
        of type: Act.Type,
        named name: String,
        callsPerActor: Int = 1,
        connectionTimeout: Duration = .seconds(30),
        isolation: isolated (any Actor)? = #isolation,
        _ body: (ActorPool<Act>) async throws -> Result
    ) async throws -> Result where Act.ActorSystem == LatticeActorSystem {
        precondition(callsPerActor > 0, "An actor in a pool runs one call at least.")
        let pool = ActorPool<Act>(name, self, room: callsPerActor, connectionTimeout: connectionTimeout)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask(executorPreference: ThreadPool.shared) { await pool.run() }
            defer { group.cancelAll() }
            return try await body(pool)
        }
    }
}

extension ActorCallError {
    /// Whether the call was not made because of the end of the actor or of its process.
    fileprivate var isOfEndedProcess: Bool {
        delivery == .notSent && [.lost, .unknownProcess, .unknownActor].contains(code)
    }
}
