/// Splits input into lines.
package struct LineSplitter: Sendable {
    /// The maximum length of a line in bytes. The rest of a longer line is dropped. It is enough for the longest title
    /// in any script.
    package static let longestLine = 16 * 1024

    private var line: [UInt8] = []

    /// Creates a splitter without any input.
    package init() {}

    /// Adds bytes and returns the lines that are complete now, without their line feeds.
    package mutating func feed(_ bytes: some Sequence<UInt8>) -> [String] {
        var lines: [String] = []
        for byte in bytes {
            if byte == 0x0A {
                lines.append(String(decoding: line, as: UTF8.self))
                line.removeAll(keepingCapacity: true)
            } else if line.count < Self.longestLine {
                line.append(byte)
            }
        }
        return lines
    }

    /// Returns the text after the last line feed, or nil if there is none.
    package mutating func end() -> String? {
        defer { line = [] }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }
}
