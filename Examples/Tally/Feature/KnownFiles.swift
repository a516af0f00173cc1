import LatticeCore

/// Files that need not be counted again.
struct KnownFiles: Sendable {
    /// Stands for a path: 128 bits of hash, with keys of this process. That two paths have the same does not happen.
    struct Fingerprint: Hashable, Sendable {
        private let first: Int
        private let second: Int

        init(_ path: [UInt8]) {
            var hasher = Hasher()
            path.withUnsafeBytes { hasher.combine(bytes: $0) }
            var other = hasher
            first = hasher.finalize()
            other.combine(true)
            second = other.finalize()
        }
    }

    private let state: TallyState

    init(_ state: TallyState) {
        self.state = state
    }

    var count: Int { state.countedFiles }

    /// Their paths. Costs a pass over all of them, so effects call it and turns do not.
    func fingerprints() -> Set<Fingerprint> {
        var fingerprints = Set(state.failures.values.map { Fingerprint($0.path) })
        fingerprints.reserveCapacity(state.done)
        for portion in state.portions.values {
            for file in portion.files { fingerprints.insert(Fingerprint(file.path)) }
        }
        return fingerprints
    }
}
