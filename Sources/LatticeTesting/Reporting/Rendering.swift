import CustomDump

/// Values in the words of a failure.
enum Rendering {
    /// Lines that begin with `-` are expected, those with `+` are there.
    static func difference<Value>(expected: Value, actual: Value) -> String {
        guard dump(expected) != dump(actual), let difference = diff(expected, actual) else {
            return FailureText.paragraphs("Not equal, but no difference is visible in:", block(actual))
        }
        return FailureText.paragraphs(indent(difference), "(- expected, + actual)")
    }

    /// A value in as many lines as it takes, indented.
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
        // Not the empty lines: editors strip them.
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? "" : "    \($0)" }
            .joined(separator: "\n")
    }
}
