import CLatticeThreads

/// Prefetches into the processor's cache what these bytes point to, if they are pointers. Call it before copying them.
///
/// Copying references increments the count of each object. Without prefetching, the processor waits for each object
/// that is in no cache, one after another. Loading all of them in parallel takes about as long as loading one.
@usableFromInline
func loadAhead(_ words: UnsafeRawBufferPointer) {
    guard let start = words.baseAddress else { return }
    lattice_load_ahead(start, words.count / MemoryLayout<UInt>.stride)
}

/// Prefetches these bytes themselves into the processor's cache.
@usableFromInline
func loadLinesAhead(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    lattice_load_lines_ahead(start, bytes.count)
}
