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

    private var items: [(item: Item, bytes: Int)] = []
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
        switch origin {
        case .worker: lines < Self.maximumLines && bytes + size <= Self.maximumBytes
        case .coordinator:
            lines < Self.maximumLines + Self.ownLines && bytes + size <= Self.maximumBytes + Self.ownBytes
        }
    }

    /// Takes all that waits. It keeps its room until `written` gives it back.
    mutating func take() -> [(item: Item, bytes: Int)] {
        defer { items = [] }
        return items
    }

    /// One of what was taken is written.
    mutating func written(_ item: Item, bytes size: Int) {
        guard case .line = item else { return }
        lines -= 1
        bytes -= size
    }
}
