import Foundation

/// The rows of result files.
///
/// A result file has one of two formats:
/// - Lines of JSON objects with figures, as `lattice-bench session --json` prints them. They are one row, which has
///   the name of the file.
/// - One JSON object that has an object for each row. The members of a row that are numbers are its figures. The number
///   of its rounds is the length of its member `rounds`. Other members and rows without figures are ignored.
package struct BenchResults: Equatable, Sendable {
    /// The rows, ordered by file and name.
    package private(set) var rows: [BenchRow] = []

    /// Creates results without rows.
    package init() {}

    /// Adds the rows of a file.
    ///
    /// - Parameters:
    ///   - text: The content of the file.
    ///   - file: The path of the file.
    /// - Throws: `ChartError` if the text has neither of the two formats, if a figure is not greater than 0, or if a
    ///   row exists already. No row is added then.
    package mutating func add(_ text: String, from file: String) throws(ChartError) {
        var added: [BenchRow] = []
        if let records = Self.decode([String: Record].self, from: text) {
            for (name, record) in records.sorted(by: { $0.key < $1.key }) {
                // A row without figures says why it could not be measured.
                guard !record.figures.isEmpty else { continue }
                let isOurs = name.lowercased().hasPrefix("lattice")
                added.append(try row(name, record.figures, in: file, isOurs: isOurs, rounds: record.rounds))
            }
        } else if let figures = Self.figures(inLinesOf: text) {
            added.append(try row(Self.name(of: file), figures, in: file, isOurs: true, rounds: 1))
        } else {
            throw .unknownFormat(file)
        }
        rows += added
    }

    private func row(
        _ name: String,
        _ figures: [String: Double],
        in file: String,
        isOurs: Bool,
        rounds: Int?
    ) throws(ChartError) -> BenchRow {
        if let invalid = figures.filter({ $0.value <= 0 || !$0.value.isFinite }).keys.min() {
            throw .invalidFigure(invalid, of: name, in: file)
        }
        guard !rows.contains(where: { $0.name == name }) else { throw .duplicateRow(name, in: file) }
        return BenchRow(name: name, file: file, isOurs: isOurs, figures: figures, rounds: rounds)
    }

    /// Returns the figures of lines of JSON objects, or nil if a line is anything else.
    private static func figures(inLinesOf text: String) -> [String: Double]? {
        var figures: [String: Double] = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            guard let object = decode([String: Double].self, from: String(line)) else { return nil }
            figures.merge(object) { _, last in last }
        }
        return figures.isEmpty ? nil : figures
    }

    private static func decode<Value: Decodable>(_ type: Value.Type, from text: String) -> Value? {
        try? JSONDecoder().decode(type, from: Data(text.utf8))
    }

    /// Returns the name of a file without its folder and its extension.
    private static func name(of file: String) -> String {
        URL(fileURLWithPath: file).deletingPathExtension().lastPathComponent
    }
}

/// A row in a file with several rows.
private struct Record: Decodable {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private(set) var figures: [String: Double] = [:]
    private(set) var rounds: Int?

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        for key in container.allKeys {
            if key.stringValue == "rounds" {
                rounds = try container.nestedUnkeyedContainer(forKey: key).count
            } else if let figure = try? container.decode(Double.self, forKey: key) {
                figures[key.stringValue] = figure
            }
        }
    }
}
