public import LatticeWire

/// A path to a part of a state, such as `todos[3].title` or `files["a.txt"].size`.
public struct ValuePath: Sendable, Hashable, LosslessStringConvertible {
    /// A step of a path.
    public enum Step: Sendable, Hashable {
        /// The value of a key of a map.
        case key(String)
        /// The element of an array at an index.
        case index(Int)
    }

    /// The steps from the whole state to the part. They are empty for the whole state.
    public private(set) var steps: [Step]

    /// Creates a path from its steps.
    public init(_ steps: [Step] = []) {
        self.steps = steps
    }

    /// Creates a path from its text. Returns nil if the text is no path. The empty text is the path of the whole state.
    ///
    /// A key that is a name follows a full stop, or begins the path. Other keys are JSON texts in brackets. Indices are
    /// numbers in brackets.
    public init?(_ text: String) {
        steps = []
        var rest = Substring(text)
        while let first = rest.first {
            if first == "[" {
                guard let (step, after) = Self.bracket(rest.dropFirst()) else { return nil }
                steps.append(step)
                rest = after
            } else {
                // The first name has no full stop, and each other one has one.
                if !steps.isEmpty {
                    guard first == "." else { return nil }
                    rest = rest.dropFirst()
                }
                let name = rest.prefix { $0 != "." && $0 != "[" }
                guard !name.isEmpty else { return nil }
                steps.append(.key(String(name)))
                rest = rest.dropFirst(name.count)
            }
        }
    }

    /// Reads a step after an opening bracket.
    private static func bracket(_ text: Substring) -> (Step, Substring)? {
        if text.first == "\"" {
            var end = text.index(after: text.startIndex)
            while end < text.endIndex, text[end] != "\"" {
                if text[end] == "\\", text.index(after: end) < text.endIndex { end = text.index(after: end) }
                end = text.index(after: end)
            }
            guard end < text.endIndex, let key = try? DescriptionValue(json: String(text[...end])).string,
                text[text.index(after: end)...].first == "]"
            else { return nil }
            return (.key(key), text[text.index(after: end)...].dropFirst())
        }
        let digits = text.prefix { $0 != "]" }
        guard !digits.isEmpty, let index = Int(digits), index >= 0, digits.count < text.count else { return nil }
        return (.index(index), text.dropFirst(digits.count + 1))
    }

    /// The text of the path. Its characters do not act on a terminal.
    public var description: String {
        steps.enumerated().map { place, step in
            switch step {
            case .index(let index): return "[\(index)]"
            case .key(let key):
                let isName =
                    !key.isEmpty && !(key.utf8.first.map { 48...57 ~= $0 } ?? false)
                    && key.utf8.allSatisfy { 48...57 ~= $0 || 65...90 ~= $0 || 97...122 ~= $0 || $0 == 95 }
                return isName ? (place == 0 ? key : ".\(key)") : "[\(DescriptionValue.text(key).json)]"
            }
        }
        .joined()
    }

    /// Returns the part of a value that the path leads to, or nil if there is none.
    public func value(in whole: DescriptionValue) -> DescriptionValue? {
        var value = whole
        for step in steps {
            switch (step, value) {
            case (.key(let key), .map(let entries)):
                guard let next = entries[key] else { return nil }
                value = next
            case (.index(let index), .array(let elements)):
                guard elements.indices.contains(index) else { return nil }
                value = elements[index]
            default: return nil
            }
        }
        return value
    }

    func appending(_ step: Step) -> ValuePath { ValuePath(steps + [step]) }
}
