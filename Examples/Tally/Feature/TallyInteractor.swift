import Glibc
import LatticeCore

/// Decides which files are counted next. Walking and counting are effects.
///
/// A claim is part of the state before its files are counted, so the state shows which files were being counted when a
/// worker crashed. These files become suspects. The next worker counts each of them alone, in a named effect, and an
/// interruption contains the name if the effect ran. A file that crashes that worker too is listed as a failure. The
/// other files are no suspects any more.
struct TallyInteractor: Interactor, Sendable {
    typealias DomainState = TallyState
    typealias Action = TallyAction

    private enum EffectID: Hashable { case work }

    /// The name of the effect that counts the first suspect alone.
    private static let suspect = "suspect"
    /// The recovery is repeated whenever there are interruptions, because they involve other files each time.
    private static let recovery = InterruptionPolicy.recover(atMost: 1000)

    private let workload = Workload()

    var body: some InteractorOf<Self> {
        Interact { [self] state, action in
            switch action {
            case .scan(let request): scan(request, &state)
            case .pause: pause(&state)
            case .resume: resume(&state)
            case .cancel: cancel(&state)
            case .recover(let interruption): recover(from: interruption, &state)
            case .found(let files, let unreadable, let isComplete):
                found(files, unreadable, isComplete, &state)
            case .claimed(let lane, let paths): claim(paths, lane, &state)
            case .progressed(let lane, let bytes, let seconds): progress(bytes, lane, seconds, &state)
            case .counted(let lane, let counted, let next): record(counted, lane, next, &state)
            case .isolated(let counted): clear(counted, &state)
            }
        }
    }

    // MARK: Actions of the user

    private func scan(_ request: ScanRequest, _ state: inout TallyState) -> Emission<TallyAction> {
        guard state.phase == .idle || state.phase.isFinal else { return .none }
        let switches = state.switches
        state = TallyState()
        state.switches = switches + switches % 2
        state.phase = .counting
        state.request = request
        return begin(&state)
    }

    private func pause(_ state: inout TallyState) -> Emission<TallyAction> {
        guard state.phase == .counting else { return .none }
        state.phase = .paused
        return switchOver(&state)
    }

    private func resume(_ state: inout TallyState) -> Emission<TallyAction> {
        guard state.phase == .paused else { return .none }
        state.phase = .counting
        return switchOver(&state)
    }

    private func switchOver(_ state: inout TallyState) -> Emission<TallyAction> {
        state.switches += 1
        return .perform { [workload, switches = state.switches] in
            await workload.follow(switches)
            return nil
        }
    }

    private func cancel(_ state: inout TallyState) -> Emission<TallyAction> {
        guard !state.phase.isFinal else { return .none }
        state.phase = .cancelled
        state.giveUpClaims()
        return .cancel(id: EffectID.work)
    }

    // MARK: Starting work

    private func recover(from interruption: Interruption, _ state: inout TallyState) -> Emission<TallyAction> {
        guard state.phase == .counting || state.phase == .paused else { return .none }
        state.pastSeconds = state.seconds
        let taken = state.giveUpClaims()
        if interruption.cause.isWorkersOwn {
            if interruption.effects.contains(where: { $0.name == Self.suspect }), let suspect = state.suspects.first {
                state.suspects[suspect.key] = nil
                let reason = "counting it ended two workers: \(interruption.cause)"
                state.add(CollectionOfOne(.init(path: suspect.value, reason: reason)))
            }
            state.suspect(taken)
        }
        return begin(&state)
    }

    /// Starts the work in a new worker, or again in this one.
    private func begin(_ state: inout TallyState) -> Emission<TallyAction> {
        state.processID = getpid()
        state.incarnations += 1
        state.isWalked = false
        let begin = work { [workload] _ in await workload.startTime() }
        let first = next(&state)
        return begin.then(first)
    }

    /// Counts the next suspect alone, or starts the walk and all lanes if there is none.
    private func next(_ state: inout TallyState) -> Emission<TallyAction> {
        guard let request = state.request else { return .none }
        if let suspect = state.suspects.first {
            let job = CountingJob(request: request, paths: PackedPaths([suspect.value]), workload: workload)
            return work { [workload, switches = state.switches] send in
                await workload.follow(switches)
                await send(.isolated(try job.run { _, _ in }))
            }
            .named(Self.suspect, whenInterrupted: Self.recovery)
        }
        let lanes = CountingJob.lanes
        state.openLanes = lanes
        let known = KnownFiles(state)
        let begin = work { [workload, switches = state.switches] _ in
            await workload.begin(skipping: known)
            await workload.follow(switches)
        }
        let walk = work { [workload] send in
            await TreeWalk(request: request, workload: workload).run(send)
        }
        return begin.then(.merge([walk] + (0..<lanes).map(claimNext)))
    }

    private func claimNext(_ lane: Int) -> Emission<TallyAction> {
        work { [workload] send in
            let paths = try await workload.claim()
            await send(.claimed(lane: lane, paths: paths))
        }
    }

    private func work(
        _ body: @escaping @Sendable (Send<TallyAction>) async throws -> Void
    ) -> Emission<TallyAction> {
        .run(body).cancellable(id: EffectID.work)
    }

    // MARK: Actions of effects

    private func found(
        _ files: Int,
        _ unreadable: [TallyState.Failure],
        _ isComplete: Bool,
        _ state: inout TallyState
    ) -> Emission<TallyAction> {
        if !unreadable.isEmpty {
            // Every walk finds the unreadable directories again.
            let known = Set(state.failures.values.map(\.path))
            let new = unreadable.filter { !known.contains($0.path) }
            state.add(new)
            state.unreadableDirectories += new.count
        }
        state.found = files + state.unreadableDirectories
        state.isWalked = isComplete
        return .none
    }

    private func claim(_ paths: PackedPaths?, _ lane: Int, _ state: inout TallyState) -> Emission<TallyAction> {
        guard let paths, let request = state.request else {
            state.openLanes -= 1
            if state.openLanes == 0 { state.phase = .finished }
            return .none
        }
        state.claim(paths, by: lane)
        let job = CountingJob(request: request, paths: paths, workload: workload)
        return work { [workload] send in
            let counted = try await job.run { bytes, seconds in
                await send(.progressed(lane: lane, bytes: bytes, seconds: seconds))
            }
            if let next = await workload.claimWithoutWaiting() {
                return await send(.counted(lane: lane, counted, next: next))
            }
            await send(.counted(lane: lane, counted, next: nil))
            let next = try await workload.claim()
            await send(.claimed(lane: lane, paths: next))
        }
        .named("lane \(lane)", whenInterrupted: Self.recovery)
    }

    private func progress(
        _ bytes: UInt64,
        _ lane: Int,
        _ seconds: Double,
        _ state: inout TallyState
    ) -> Emission<TallyAction> {
        state.seconds = state.pastSeconds + seconds
        state.claims[lane]?.bytes = bytes
        return .none
    }

    private func record(
        _ counted: CountedFiles,
        _ lane: Int,
        _ next: PackedPaths?,
        _ state: inout TallyState
    ) -> Emission<TallyAction> {
        state.record(counted, by: lane)
        guard let next else { return .none }
        return claim(next, lane, &state)
    }

    private func clear(_ counted: CountedFiles, _ state: inout TallyState) -> Emission<TallyAction> {
        state.clear(counted)
        return next(&state)
    }
}
