import LatticeCoding
import LatticeWire

/// The arguments of a request to act. Each act reads the arguments that it knows, and no others may be left.
struct OperationArguments {
    private let act: String
    private var entries: [String: DescriptionValue]

    /// - Throws: ``Invalid`` if the bytes are no map.
    init(_ bytes: [UInt8], of act: String) throws(Invalid) {
        self.act = act
        do {
            entries = try DescriptionValue.entries(decoding: bytes)
        } catch {
            throw Invalid(
                reason: "The arguments of \(act.debugDescription) cannot be read: \(error). Send a map with text keys."
            )
        }
    }

    /// An argument that is missing, unknown, or outside its range.
    struct Invalid: Error {
        /// A complete sentence that says which argument it is and what to send.
        let reason: String
    }

    /// Takes a text that is not empty.
    mutating func text(_ key: String) throws(Invalid) -> String {
        guard let value = entries.removeValue(forKey: key) else { throw missing(key, "a text") }
        guard let text = value.string, !text.isEmpty else { throw wrong(key, "a text that is not empty") }
        return text
    }

    /// Takes a text, or returns an empty one if there is none.
    mutating func optionalText(_ key: String) throws(Invalid) -> String {
        entries[key] == nil ? "" : try text(key)
    }

    /// Takes an integer within a range.
    mutating func integer(_ key: String, in range: ClosedRange<Int>) throws(Invalid) -> Int {
        guard let value = try optionalInteger(key, in: range) else { throw missing(key, "an integer") }
        return value
    }

    /// Takes an integer within a range, or nil if there is none.
    mutating func optionalInteger(_ key: String, in range: ClosedRange<Int>) throws(Invalid) -> Int? {
        guard let value = entries.removeValue(forKey: key) else { return nil }
        guard let number = value.int, range.contains(number) else {
            throw wrong(key, "an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Checks that no argument is left.
    func finish() throws(Invalid) {
        guard let unknown = entries.keys.min() else { return }
        throw Invalid(reason: "\(act.debugDescription) has no argument \(unknown.debugDescription). Leave it out.")
    }

    private func missing(_ key: String, _ kind: String) -> Invalid {
        Invalid(reason: "\"\(act)\" needs the argument \"\(key)\", which is \(kind).")
    }

    private func wrong(_ key: String, _ kind: String) -> Invalid {
        Invalid(reason: "The argument \"\(key)\" of \"\(act)\" has to be \(kind).")
    }

    /// Returns the arguments as a text for the log, with the keys in alphabetical order. The text is short, because
    /// arguments are names and numbers, and it is cut after 300 characters nevertheless.
    static func text(of bytes: [UInt8]) -> String {
        // The error is in the answer.
        guard let entries = try? DescriptionValue.entries(decoding: bytes) else { return "unreadable arguments" }
        let text = entries.sorted { $0.key < $1.key }
            .map { key, value in "\(key) \(value.string ?? value.int.map { "\($0)" } ?? "of another type")" }
            .joined(separator: ", ")
        return text.count > 300 ? text.prefix(300) + "…" : text
    }
}
