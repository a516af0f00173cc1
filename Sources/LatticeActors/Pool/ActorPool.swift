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
/// ```swift
/// try await system.withPool(of: Thumbnailer.self, named: "thumbnailer") { pool in
///     try await withThrowingTaskGroup(of: [UInt8].self) { group in
///         for path in paths { group.addTask { try await pool.call { try await $0.thumbnail(of: path) } } }
///         for try await image in group { print(image.count) }
///     }
/// }
/// ```
public final class ActorPool<Act: DistributedActor>: Sendable where Act.ActorSystem == LatticeActorSystem {
    private typealias State = PoolState<LatticeActorID, PoolTurn>

    private let name: String
    private let system: LatticeActorSystem
    private let state: Locked<State>

    fileprivate init(_ name: String, _ system: LatticeActorSystem, room: Int) {
        self.name = name
        self.system = system
        state = Locked(State(room: room, maximumWaiting: ActorPoolLimits.maximumWaiting))
    }

    /// The actors that take part at the moment.
    public var members: [LatticeActorID] { state.withLock(\.present) }

    /// Makes a call at one of the actors, when one has room.
    ///
    /// - Parameters:
    ///   - key: Calls of one key run one after the other, in the order in which they came here, but for one that has to
    ///     be made elsewhere, which begins behind those that wait; nil: in any order.
    ///   - body: Makes the call, with the actor that it is given: one call, since it is done again with another actor
    ///     if the call had not begun when the actor's process ended.
    /// - Throws: What `body` throws; ``ActorCallError`` with ``ActorCallError/Code/overloaded`` if 65,536 calls wait,
    ///   and with ``ActorCallError/Code/deadlinePassed`` if none had room by the deadline of `withDeadline`;
    ///   `CancellationError`.
    public func call<Result>(
        key: (any Hashable & Sendable)? = nil,
        isolation: isolated (any Actor)? = #isolation,
        _ body: (Act) async throws -> Result
    ) async throws -> Result {
        let key = key.map { PoolKey($0) }
        while true {
            let member = try await take(key)
            defer { end(key, at: member) }
            do {
                let id = try await system.agreed(on: member, as: Act.self)
                return try await body(try Act.resolve(id: id, using: system))
            } catch let error as ActorCallError where error.isOfEndedProcess && error.actor == member {
                // It takes no calls any more, which the list of those that serve the name will say too; or nobody is to
                // be reached at all.
                if system.node.isConnected { state.withLock { $0.leave(member) } }
                try await ContinuousClock().wait(for: ActorPoolLimits.retryPause)
            }
        }
    }

    private func take(_ key: PoolKey?) async throws -> LatticeActorID {
        try Task.checkCancellation()
        let turn = PoolTurn(key)
        switch state.withLock({ $0.take(key: key) { turn } }) {
        case .run(let member):
            return member
        case .refuse:
            throw ActorCallError(
                .overloaded,
                "\(ActorPoolLimits.maximumWaiting) calls wait for an actor \"\(name)\"; wait for some to end",
                .notSent
            )
        case .ended:
            throw ended
        case .wait(let id):
            if let left = TaskDeadline.current.map({ ContinuousClock.now.duration(to: $0) }) {
                await turn.member.wait(atMost: left)
            } else {
                await turn.member.wait()
            }
            if !Task.isCancelled, turn.member.isComplete, let member = await turn.member.wait() {
                guard let member else { throw ended }
                return member
            }
            _ = state.withLock { $0.stopWaiting(id) }
            // It got one at the last moment, and does not need it.
            if let member = turn.abandon() { end(key, at: member) }
            try Task.checkCancellation()
            throw ActorCallError(
                .deadlinePassed,
                "no actor \"\(name)\" had room for the call before its deadline",
                .notSent
            )
        }
    }

    private var ended: ActorCallError {
        ActorCallError(.refused, "the pool of \"\(name)\" has ended; call inside of withPool", .notSent)
    }

    private func end(_ key: PoolKey?, at member: LatticeActorID) {
        give(state.withLock { $0.end(key: key, at: member) })
    }

    private func give(_ assigned: [(waiter: PoolTurn, member: LatticeActorID)]) {
        var rest = assigned[...]
        while let (turn, member) = rest.popFirst() {
            // Whoever does not wait any more has ended with it.
            if !turn.give(member) { rest += state.withLock { $0.end(key: turn.key, at: member) } }
        }
    }

    /// Keeps the members, until the task is cancelled or the node is at its end. Then the pool is at its own.
    fileprivate func run() async {
        var known: UInt64 = 0
        while !Task.isCancelled, !system.node.hasEnded {
            // Whoever has left by what a call has seen may be there all the same.
            if state.withLock({ $0.takeHasLeft() }) { known = 0 }
            switch await system.node.servers(of: name, knowing: known, within: ActorPoolLimits.longestPoll) {
            case .success(let (version, places)):
                // What is asked for anew is not asked for at once.
                if version == known || known == 0 { await pause() }
                known = version
                let members = places.compactMap { LatticeActorID($0, name: name) }
                give(state.withLock { $0.serve(members) })
            case .failure:
                // No connection at the moment: what is known may still be there.
                known = 0
                await pause()
            }
        }
        for turn in state.withLock({ $0.close() }) { turn.member.complete(nil) }
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
    ///   - isolation: The caller's; leave it out.
    ///   - body: Calls, through the pool.
    /// - Throws: What `body` throws.
    public func withPool<Act: DistributedActor, Result>(
        of type: Act.Type,
        named name: String,
        callsPerActor: Int = 1,
        isolation: isolated (any Actor)? = #isolation,
        _ body: (ActorPool<Act>) async throws -> Result
    ) async throws -> Result where Act.ActorSystem == LatticeActorSystem {
        precondition(callsPerActor > 0, "An actor in a pool runs one call at least.")
        let pool = ActorPool<Act>(name, self, room: callsPerActor)
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
