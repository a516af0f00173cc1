import DequeModule

/// The source of a log line.
enum LogOrigin: Sendable { case coordinator, worker }

/// The bounded, ordered queue of lines that wait to be logged. A line that finds no room is dropped and counted at its
/// position in the order.
///
/// The output of workers has less room than the coordinator's own lines. A worker that floods the log therefore cannot
/// displace the messages about its own end.
struct LogBacklog<Line: Sendable>: Sendable {
    enum Item: Sendable {
        case line(Line)
        /// The number of lines that were dropped at this position.
        case dropped(Int)
    }

    /// The maximum number of waiting lines from workers, and their maximum size in bytes. This holds some seconds of a
    /// program that writes a lot.
    static var maximumLines: Int { 4096 }
    static var maximumBytes: Int { 1 << 20 }
    /// The additional room for the coordinator's own lines.
    static var reservedLines: Int { 512 }
    static var reservedBytes: Int { 256 * 1024 }

    private var items: Deque<(item: Item, bytes: Int)> = []
    /// The item that is being written. It keeps its room until it is written.
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

    /// Returns whether a line of `size` bytes would be accepted.
    func hasRoom(for size: Int, from origin: LogOrigin) -> Bool {
        let own = origin == .coordinator ? (lines: Self.reservedLines, bytes: Self.reservedBytes) : (lines: 0, bytes: 0)
        return lines < Self.maximumLines + own.lines && bytes + size <= Self.maximumBytes + own.bytes
    }

    /// Removes and returns the oldest waiting item, or nil if none is waiting. The item keeps its room until the next
    /// one is taken, because it is being written until then.
    mutating func next() -> Item? {
        if case .line? = taken?.item { lines -= 1 }
        bytes -= taken?.bytes ?? 0
        taken = items.popFirst()
        return taken?.item
    }
}
