import Lattice

/// Decides when files are read. Walking, reading and counting is an effect.
struct IndexInteractor: Interactor, Sendable {
    typealias DomainState = IndexState
    typealias Action = IndexAction

    let root: [UInt8]

    var body: some InteractorOf<Self> {
        Interact { [self] state, action in
            switch action {
            case .begin: return read(&state)
            case .read:
                guard state.reading == .running || state.reading == .runningAndAsked else { return read(&state) }
                state.reading = .runningAndAsked
            case .found(let files, let gone):
                state.found = files
                state.remove(gone)
            case .indexed(let files): state.add(files)
            case .finished:
                if state.reading == .runningAndAsked { return read(&state) }
                state.reading = .done
            }
            return .none
        }
    }

    /// Reads the files that are new or have changed in size or time, and removes those that are gone.
    private func read(_ state: inout IndexState) -> Emission<IndexAction> {
        state.reading = .running
        state.leftOut = 0
        // The copy shares its storage with the state.
        return .run { [root, known = state.files] send in
            let files = try FileTree.files(below: root)
            let paths = Set(files.map(\.path))
            await send(.found(files: files.count, gone: known.keys.filter { !paths.contains($0) }))
            let changed = files.filter { known[$0.path]?.stamp != $0.stamp }
            try await FileReader(root: root).read(changed) { await send(.indexed($0)) }
            await send(.finished)
        }
    }
}
