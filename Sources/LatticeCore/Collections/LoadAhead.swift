import CLatticeThreads

/// Has the processor load what is referred to by any words of these bytes, before somebody copies them.
///
/// Who copies references counts each of them, and waits for what each refers to, one after the other, where that is in
/// no cache. All at a time they take about as long as one.
@usableFromInline
func loadAhead(_ words: UnsafeRawBufferPointer) {
    guard let start = words.baseAddress else { return }
    lattice_load_ahead(start, words.count / MemoryLayout<UInt>.stride)
}

/// Has the processor load these bytes themselves.
@usableFromInline
func loadLinesAhead(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    lattice_load_lines_ahead(start, bytes.count)
}
