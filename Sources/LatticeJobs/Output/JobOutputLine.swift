/// A line that a job printed.
public struct JobOutputLine: Codable, Sendable, Hashable {
    /// The stream of a line.
    public enum Stream: String, Codable, Sendable, Hashable {
        /// The standard output.
        case output
        /// The standard error.
        case error
    }

    /// The stream of the line.
    public let stream: Stream
    /// The line without its line break. Bytes that are not UTF-8 are replaced.
    public let text: String
    /// A Boolean value that indicates whether the line was longer than ``maximumBytes`` and was cut.
    public let isCut: Bool
    /// The number of lines before this one that were left out, because the job printed faster than they were read.
    public internal(set) var omittedBefore = 0

    /// The maximum size of ``text`` in bytes of UTF-8: 1,024.
    public static var maximumBytes: Int { 1024 }
    /// The number of lines of a job that are kept until they are read, the last ones: 256. There are as many in the
    /// worker and as many in the process of the pool.
    public static var maximumLines: Int { 256 }

    init(_ text: String, to stream: Stream) {
        self.stream = stream
        isCut = text.utf8.count > Self.maximumBytes
        guard isCut else {
            self.text = text
            return
        }
        // A character whose bytes do not fit is left out.
        var end = text.utf8.index(text.startIndex, offsetBy: Self.maximumBytes)
        while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
        self.text = String(text[..<end])
    }
}

/// The last lines of an output, with the number of those that were left out.
struct KeptLines: Sendable {
    private var lines: [JobOutputLine] = []
    /// The lines before this position of `lines` were dropped.
    private var start = 0
    /// The number of lines that were dropped and belong to the next one.
    private var omitted = 0

    var isEmpty: Bool { start == lines.count }
    var count: Int { lines.count - start }

    mutating func add(_ line: JobOutputLine) {
        lines.append(line)
        guard count > JobOutputLine.maximumLines else { return }
        omitted += lines[start].omittedBefore + 1
        start += 1
        // Removing at twice the size makes each line move once at most.
        guard start > JobOutputLine.maximumLines else { return }
        lines.removeFirst(start)
        start = 0
    }

    /// Removes and returns all lines.
    mutating func takeAll() -> [JobOutputLine] {
        guard !isEmpty else { return [] }
        lines[start].omittedBefore += omitted
        defer { self = KeptLines() }
        return Array(lines[start...])
    }
}
