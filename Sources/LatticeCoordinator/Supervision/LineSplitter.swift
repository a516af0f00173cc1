/// Makes lines of what a worker writes, which comes in pieces of any length.
///
/// Bytes that are no UTF-8 show as U+FFFD. A line that goes on and on is cut: its writer must neither fill this
/// process's memory nor be left with a pipe that nobody reads.
struct LineSplitter {
    /// Bytes after which a line is cut.
    static let longestLine = 16 * 1024

    private var rest: [UInt8] = []

    /// Calls `body` with each line that is complete now, without its line break.
    mutating func feed(_ bytes: UnsafeRawBufferPointer, _ body: (String) -> Void) {
        var bytes = bytes[...]
        while !bytes.isEmpty {
            let part = bytes.prefix(Self.longestLine - rest.count)
            let lineBreak = part.firstIndex(of: UInt8(ascii: "\n"))
            rest.append(contentsOf: part[..<(lineBreak ?? part.endIndex)])
            bytes = bytes[(lineBreak.map { $0 + 1 } ?? part.endIndex)...]
            if lineBreak != nil || rest.count == Self.longestLine { take(body) }
        }
    }

    /// Nothing comes any more: calls `body` with a last line that has no line break.
    mutating func end(_ body: (String) -> Void) {
        if !rest.isEmpty { take(body) }
    }

    private mutating func take(_ body: (String) -> Void) {
        if rest.last == UInt8(ascii: "\r") { rest.removeLast() }
        body(String(decoding: rest, as: UTF8.self))
        rest.removeAll(keepingCapacity: true)
    }
}
