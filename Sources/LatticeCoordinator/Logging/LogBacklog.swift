import DequeModule

/// Who wrote a line of the log.
enum LogOrigin: Sendable { case coordinator, worker }

/// What waits to be logged, in order and bounded: what finds no room is dropped and counted where it would have stood.
///
/// The worker's output has less room than the coordinator's own lines: a worker that floods the log does not keep the
/// words about its own end out of it.
struct LogBacklog<Line: Sendable>: Sendable {
    enum Item: Sendable {
        case line(Line)
        /// So many lines came here, and there was no room for them.
        case dropped(Int)
    }

    /// Lines of the worker's that wait at most, and their bytes: some seconds of a program that writes much, in memory
    /// that nobody misses.
    static var maximumLines: Int { 4096 }
    static var maximumBytes: Int { 1 << 20 }
    /// What the coordinator's own lines have besides.
    static var ownLines: Int { 512 }
    static var ownBytes: Int { 256 * 1024 }

    private var items: Deque<(item: Item, bytes: Int)> = []
    /// What is being written, which keeps its room.
    private var taken: (item: Item, bytes: Int)?
    private var lines = 0
    private var bytes = 0

    /// Adds a line, or counts it as dropped.
    mutating func add(_ line: Line, bytes size: Int, from origin: LogOrigin) {
        guard hasRoom(for: size, from: origin) else { return drop() }
        items.append((.line(line), size))
        lines += 1
        bytes += size
    }

    /// Counts a line as dropped.
    mutating func drop() {
        if case .dropped(let count)? = items.last?.item {
            items[items.count - 1].item = .dropped(count + 1)
        } else {
            items.append((.dropped(1), 0))
        }
    }

    /// Whether a line of so many bytes would be taken.
    func hasRoom(for size: Int, from origin: LogOrigin) -> Bool {
        let own = origin == .coordinator ? (lines: Self.ownLines, bytes: Self.ownBytes) : (lines: 0, bytes: 0)
        return lines < Self.maximumLines + own.lines && bytes + size <= Self.maximumBytes + own.bytes
    }

    /// Takes the oldest that waits; nil if nothing does. It keeps its room until the next one is taken, as it is being
    /// written until then.
    mutating func next() -> Item? {
        if case .line? = taken?.item { lines -= 1 }
        bytes -= taken?.bytes ?? 0
        taken = items.popFirst()
        return taken?.item
    }
}
