import ExampleSupport
import LatticeActors
import LatticeCore

/// Decides when to begin, and stores the results of the hashers. Finding and hashing files is an effect.
struct ChecksumsInteractor: Interactor, Sendable {
    typealias DomainState = ChecksumsState
    typealias Action = ChecksumsAction

    private enum EffectID: Hashable { case work }

    /// The actor system through which the effect calls the hashers.
    let system: LatticeActorSystem
    /// The time to wait for a first hasher, and for another one when all have ended.
    var patience: Duration = .seconds(30)

    var body: some InteractorOf<Self> {
        Interact { [self] state, action in
            switch action {
            case .hash(let request):
                guard state.phase != .hashing else { return .none }
                state = ChecksumsState()
                state.phase = .hashing
                state.request = request
                return work(on: request, &state)
            case .resume:
                guard state.phase == .hashing, let request = state.request else { return .none }
                state.beginAgain()
                return work(on: request, &state)
            case .cancel:
                guard !state.phase.isFinal else { return .none }
                state.end(.cancelled)
                return .cancel(id: EffectID.work)
            case .found(let found): state.found = found
            case .read(let lane, let bytes, let process, let seconds):
                state.read(bytes, for: lane, by: process, at: seconds)
            case .hashed(let lane, let batch, let seconds): state.add(batch, from: lane, at: seconds)
            case .notHashed(let lane, let failures): state.add(failures, from: lane)
            case .finished: state.end(.finished)
            case .gaveUp(let reason): state.end(.failed, reason)
            }
            return .none
        }
    }

    /// Creates the effect that hashes the files that are not in the state yet. A copy of the state shares its storage.
    private func work(on request: HashRequest, _ state: inout ChecksumsState) -> Emission<ChecksumsAction> {
        let isKnown: @Sendable ([UInt8]) -> Bool = { [files = state.files, failures = state.failures] path in
            let key = PathKey(path)
            return files.contains(key: key) || failures.contains(key: key)
        }
        return .run { [system, patience] send in
            try await HashingJob(request, system, patience: patience, isKnown: isKnown).run(send)
            await send(.finished)
        }
        .catch { .gaveUp(reason: "\($0)") }
        .cancellable(id: EffectID.work)
    }
}
