/// A line that a job printed.
public struct JobOutputLine: Sendable, Hashable {
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
    /// The maximum value of ``omittedBefore`` in a line of another process: 2,147,483,648. Sums of such numbers do not
    /// overflow, whatever the other process sends.
    static let maximumOmitted = 1 << 31

    init(_ text: String, to stream: Stream) {
        self.init(text, to: stream, wasCut: false)
    }

    private init(_ text: String, to stream: Stream, wasCut: Bool) {
        self.stream = stream
        let isLong = text.utf8.count > Self.maximumBytes
        isCut = isLong || wasCut
        guard isLong else {
            self.text = text
            return
        }
        // A character whose bytes do not fit is left out.
        var end = text.utf8.index(text.startIndex, offsetBy: Self.maximumBytes)
        while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
        self.text = String(text[..<end])
    }
}

extension JobOutputLine: Codable {
    private enum CodingKeys: String, CodingKey {
        case stream, text, isCut, omittedBefore
    }

    /// Decodes a line of another process. A text that is too long is cut, and a number of lines that no job prints is
    /// replaced by the nearest possible one.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(String.self, forKey: .text),
            to: try container.decode(Stream.self, forKey: .stream),
            wasCut: try container.decode(Bool.self, forKey: .isCut)
        )
        omittedBefore = min(max(0, try container.decode(Int.self, forKey: .omittedBefore)), Self.maximumOmitted)
    }
}

/// The last lines of an output, with the number of those that were left out.
///
/// The lines of a program are kept as bytes. Most of them are left out, and need not be decoded.
struct KeptLines: Sendable {
    private enum Line: Sendable {
        case text(JobOutputLine)
        case bytes([UInt8], JobOutputLine.Stream)

        var decoded: JobOutputLine {
            switch self {
            case .text(let line): line
            case .bytes(let bytes, let stream): JobOutputLine(String(decoding: bytes, as: UTF8.self), to: stream)
            }
        }

        var omittedBefore: Int { if case .text(let line) = self { line.omittedBefore } else { 0 } }
    }

    /// The number of bytes of a line that decide about its text: the maximum, and the rest of its last character.
    private static let maximumBytes = JobOutputLine.maximumBytes + 3

    private var lines: [Line] = []
    /// The lines before this position of `lines` were dropped.
    private var start = 0
    /// The number of lines that were dropped and belong to the next one.
    private var omitted = 0

    var isEmpty: Bool { start == lines.count }
    var count: Int { lines.count - start }

    mutating func add(_ line: JobOutputLine) { add(.text(line)) }

    mutating func add(_ bytes: UnsafeRawBufferPointer, to stream: JobOutputLine.Stream) {
        add(.bytes(Array(bytes.prefix(Self.maximumBytes)), stream))
    }

    private mutating func add(_ line: Line) {
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
        var taken = lines[start...].map(\.decoded)
        taken[0].omittedBefore += omitted
        self = KeptLines()
        return taken
    }
}
