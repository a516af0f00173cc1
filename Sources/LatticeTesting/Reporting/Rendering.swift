import CustomDump

/// Functions that render values for failure messages.
enum Rendering {
    /// Returns the difference of two values. Lines with `-` belong to the expected value, and lines with `+` to the
    /// actual one.
    static func difference<Value>(expected: Value, actual: Value) -> String {
        guard dump(expected) != dump(actual), let difference = diff(expected, actual) else {
            return FailureText.paragraphs("Not equal, but no difference is visible in:", block(actual))
        }
        return FailureText.paragraphs(indent(difference), "(- expected, + actual)")
    }

    /// Returns a value on one or more indented lines.
    static func block<Value>(_ value: Value) -> String {
        indent(dump(value))
    }

    static func blocks<Value>(_ values: [Value]) -> String {
        values.map(block).joined(separator: "\n")
    }

    private static func dump<Value>(_ value: Value) -> String {
        var text = ""
        customDump(value, to: &text)
        return text
    }

    private static func indent(_ text: String) -> String {
        // Empty lines are not indented, because editors strip trailing spaces.
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? "" : "    \($0)" }
            .joined(separator: "\n")
    }
}
