import LatticeWire

extension LogRecord {
    /// The record in lines for people: one line with the level, the worker, the message and the metadata, and the lines
    /// that belong to it, such as those of a crash report.
    package var lines: [String] {
        let level = level.isEmpty ? "-" : DescriptionValue.printable(level)
        let padding = String(repeating: " ", count: max(0, 8 - level.count))
        let label = fields["label"]?.string.map { " \(DescriptionValue.printable($0))" } ?? ""
        let message = DescriptionValue.printable(fields["message"]?.string ?? "")
        let details = fields["details"]?.elements ?? []
        return ["\(level)\(padding) \(writer)\(label): \(message)\(metadata)"]
            + details.map { "    \(DescriptionValue.printable($0.string ?? $0.text(for: "")))" }
    }

    /// The worker and its process, the group, or the coordinator.
    private var writer: String {
        guard let worker = fields["worker"]?.string else {
            return fields["group"]?.string.map { "group \(DescriptionValue.printable($0))" } ?? "coordinator"
        }
        let process = fields["processID"]?.int.map { "[\($0)]" } ?? ""
        return DescriptionValue.printable(worker) + process
    }

    /// The metadata as assignments. A record without an event in its metadata gets those that it is about.
    private var metadata: String {
        var entries = (fields["metadata"]?.entries ?? [:]).mapValues { [$0] }
        if entries["event"] == nil, !events.isEmpty { entries["event"] = events.map { .text($0) } }
        return entries.sorted { $0.key < $1.key }
            .flatMap { key, values in
                values.map { " \(Self.word(.text(key)))=\(Self.word($0))" }
            }
            .joined()
    }

    /// Returns a value as one word without characters that act on a terminal. A text that could be taken for several
    /// words or for an assignment is quoted.
    private static func word(_ value: DescriptionValue) -> String {
        guard let text = value.string else { return DescriptionValue.printable(value.json) }
        let isWord = !text.isEmpty && !text.contains { $0.isWhitespace || $0 == "\"" || $0 == "=" }
        return DescriptionValue.printable(isWord ? text : value.json)
    }

    /// Returns the record as one JSON object, with the fields of the row.
    ///
    /// - Parameter time: The time of the record, for the key `time`. It takes the place of `agoMilliseconds`.
    package func json(at time: String) -> String {
        var fields = fields
        fields["agoMilliseconds"] = nil
        fields["time"] = .text(time)
        return DescriptionValue.map(fields).json
    }
}

extension LogTail {
    /// Returns a sentence about records that were missed.
    package static func sentence(missing count: UInt64) -> String {
        let subject = count == 1 ? "1 record is" : "\(count) records are"
        return "(\(subject) missing: the coordinator had no room to keep them until they were read)"
    }

    /// Returns missed records as one JSON object.
    package static func json(missing count: UInt64) -> String { DescriptionValue.map(["missing": .init(count)]).json }
}
