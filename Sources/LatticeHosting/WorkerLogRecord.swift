/// An entry of a worker's log on its way to the coordinator: a line of the worker's output that preserves level, label
/// and metadata.
///
/// The line begins with a control character that does not begin a text. The fields follow, each after another control
/// character. A backslash escapes the characters that would end a field or the line. The entry travels in the worker's
/// standard error instead of its session. Entries from before a crash are therefore available after the crash, in order
/// with other output.
package struct WorkerLogRecord: Sendable, Equatable {
    /// The level of the entry.
    package var level: String
    /// The label of the logger.
    package var label: String
    /// The source of the entry.
    package var source: String
    /// The text of the entry.
    package var message: String
    /// The metadata of the entry.
    package var metadata: [String: String]

    /// The maximum size of a message in bytes. A longer message is cut. All fields together stay below the 16 KiB at
    /// which a line of output is cut, even if each of their bytes is escaped.
    package static let longestMessage = 3 * 1024
    /// The maximum size in bytes of all keys and values of the metadata, with one additional byte for each key. If it
    /// is exceeded, the longest values are cut first, and then the last keys are omitted.
    package static let maximumMetadata = 4 * 1024
    /// The maximum size in bytes of a label and of a source. A longer one is cut.
    package static let longestName = 256

    private static let start = UInt8(ascii: "\u{1E}")
    private static let separator = UInt8(ascii: "\u{1F}")
    private static let backslash = UInt8(ascii: "\\")
    /// The format identifier, which determines the fields that follow.
    private static let name = "lattice-log-1"
    /// The bytes that are escaped, and the letter that represents each of them.
    private static let escapes: [(byte: UInt8, letter: UInt8)] = [
        (backslash, backslash), (UInt8(ascii: "\n"), UInt8(ascii: "n")), (UInt8(ascii: "\r"), UInt8(ascii: "r")),
        (start, UInt8(ascii: "s")), (separator, UInt8(ascii: "u")),
    ]

    /// Creates an entry from its parts.
    package init(level: String, label: String, source: String, message: String, metadata: [String: String] = [:]) {
        self.level = level
        self.label = label
        self.source = source
        self.message = message
        self.metadata = metadata
    }

    // MARK: The worker

    /// The encoded line, including the line break.
    package var line: [UInt8] {
        var line = [Self.start]
        line.append(contentsOf: Self.name.utf8)
        for name in [level, label, source] { Self.add(name, atMost: Self.longestName, to: &line) }
        Self.add(message, atMost: Self.longestMessage, to: &line)
        for entry in fittingMetadata {
            Self.add(entry.key, atMost: Self.maximumMetadata, to: &line)
            Self.add(entry.value, atMost: entry.limit, to: &line)
        }
        line.append(UInt8(ascii: "\n"))
        return line
    }

    /// The metadata entries that fit, in the order of their keys, each with the number of bytes of its value. Short
    /// values are kept whole, and long values share the remaining room.
    private var fittingMetadata: [(key: String, value: String, limit: Int)] {
        var room = Self.maximumMetadata
        var entries: [(key: String, value: String, limit: Int)] = []
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) where key.utf8.count < room {
            room -= key.utf8.count + 1
            entries.append((key: key, value: value, limit: value.utf8.count))
        }
        let shortestFirst = entries.indices.sorted { entries[$0].limit < entries[$1].limit }
        for (done, index) in shortestFirst.enumerated() {
            entries[index].limit = min(entries[index].limit, room / (shortestFirst.count - done))
            room -= entries[index].limit
        }
        return entries
    }

    private static func add(_ field: String, atMost limit: Int, to line: inout [UInt8]) {
        line.append(separator)
        for byte in field.utf8.prefix(limit) {
            if let escape = escapes.first(where: { $0.byte == byte }) {
                line.append(backslash)
                line.append(escape.letter)
            } else {
                line.append(byte)
            }
        }
    }

    // MARK: The coordinator

    /// Decodes an entry. Returns nil if the line is not an encoded entry.
    ///
    /// - Parameter line: The line without its line break.
    package init?(_ line: UnsafeRawBufferPointer) {
        guard line.first == Self.start else { return nil }
        var fields = line.dropFirst().split(separator: Self.separator, omittingEmptySubsequences: false)
            .map { Self.text(of: $0) }
        guard fields.count >= 5, fields.removeFirst() == Self.name, fields.count.isMultiple(of: 2) else { return nil }
        (level, label, source, message) = (fields[0], fields[1], fields[2], fields[3])
        metadata = [:]
        for index in stride(from: 4, to: fields.count, by: 2) { metadata[fields[index]] = fields[index + 1] }
    }

    private static func text(of field: Slice<UnsafeRawBufferPointer>) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(field.count)
        var isEscaped = false
        for byte in field {
            if isEscaped {
                bytes.append(escapes.first { $0.letter == byte }?.byte ?? byte)
                isEscaped = false
            } else if byte == backslash {
                isEscaped = true
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
