/// Cuts what is read into lines.
package struct LineSplitter: Sendable {
    /// Of a longer line the rest is dropped: it has room for the longest title in any script.
    package static let longestLine = 16 * 1024

    private var line: [UInt8] = []

    package init() {}

    /// The lines that are complete with these bytes, without their ends.
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

    /// What came behind the last line; nil if nothing did.
    package mutating func end() -> String? {
        defer { line = [] }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }
}
