extension EncoderCore {
    /// One encoding's memory, kept for the next: it is a handful of allocations, more than a small value costs itself.
    private static let spare = SpareSlot<EncoderCore>()
    /// A buffer up to this size is kept with the core.
    static let keptBytes = 64 * 1024

    /// A core as good as new. Its writer is empty and may have room already.
    static func takeSpare() -> EncoderCore {
        spare.take() ?? EncoderCore(defersNested: false)
    }

    /// Gives a core back. It is let go if something still holds it, or if it has grown large.
    static func keepSpare(_ core: inout EncoderCore) {
        guard isKnownUniquelyReferenced(&core), core.reset() else { return }
        spare.keep(core)
    }

    /// - Returns: Whether it is worth keeping.
    private func reset() -> Bool {
        guard failure == nil, failurePath == nil, !needsRestart, entries.capacity <= 1024, frames.capacity <= 64,
            writer.bytes.capacity <= Self.keptBytes
        else { return false }
        // Mostly all of these are empty, and emptying an array costs more than asking it.
        if !writer.bytes.isEmpty { writer.bytes.removeAll(keepingCapacity: true) }
        if !frames.isEmpty { frames.removeAll(keepingCapacity: true) }
        if !entries.isEmpty { entries.removeAll(keepingCapacity: true) }
        if !path.isEmpty { path.removeAll(keepingCapacity: true) }
        if !children.isEmpty { children.removeAll() }
        topSerial = 0
        lastSerial = 0
        scopeDepth = 0
        return true
    }
}
