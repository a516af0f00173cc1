import Synchronization

extension EncoderCore {
    private struct Spare: @unchecked Sendable {
        // Unchecked: whoever puts a core here has the only reference to it, and gives that away.
        var core: EncoderCore?
    }

    /// One encoding's memory, kept for the next: it is a handful of allocations, more than a small value costs itself.
    private static let spare = Mutex(Spare())

    /// A core for a value without user info, as good as new.
    static func takeSpare() -> EncoderCore {
        spare.withLock { $0.core.take() } ?? EncoderCore(userInfo: [:], defersNested: false)
    }

    /// Gives a core back. It is let go if something still holds it, or if it has grown large.
    static func keepSpare(_ core: inout EncoderCore) {
        guard core.userInfo.isEmpty, isKnownUniquelyReferenced(&core), core.reset() else { return }
        let given = Spare(core: core)
        spare.withLock { $0 = given }
    }

    /// - Returns: Whether it is worth keeping.
    private func reset() -> Bool {
        guard failure == nil, !needsRestart, entries.capacity <= 1024, frames.capacity <= 64 else { return false }
        frames.removeAll(keepingCapacity: true)
        entries.removeAll(keepingCapacity: true)
        path.removeAll(keepingCapacity: true)
        children.removeAll()
        topSerial = 0
        lastSerial = 0
        scopeDepth = 0
        return true
    }
}
