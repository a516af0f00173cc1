import LatticeCore

/// The files that need not be counted again.
struct KnownFiles: Sendable {
    /// A 128-bit hash of a path with keys of this process. Two paths never have the same one in practice.
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

    /// Returns the fingerprints of the paths. This visits all files, so it is called by effects and not in turns.
    func fingerprints() -> Set<Fingerprint> {
        var fingerprints = Set(state.failures.values.map { Fingerprint($0.path) })
        fingerprints.reserveCapacity(state.done)
        for portion in state.portions.values {
            for file in portion.files { fingerprints.insert(Fingerprint(file.path)) }
        }
        return fingerprints
    }
}
