/// A fault in the bytes of a value.
package struct CBORError: Error, Sendable, CustomStringConvertible {
    /// The class of a fault.
    package enum Code: Sendable, Hashable {
        /// The bytes are not well-formed, or not in the deterministic form.
        case malformed
        /// A key that occurs twice in one map.
        case duplicate
        /// A value of another type, or outside its range.
        case unexpected
        /// A required value is absent.
        case missing
        /// A value is over its limit.
        case tooLarge
    }

    /// The class of the fault.
    package let code: Code
    /// One sentence that says what is wrong, with the numbers that show it.
    package let sentence: String

    /// Creates an error.
    package init(_ code: Code, _ sentence: String) {
        self.code = code
        self.sentence = sentence
    }

    package var description: String { sentence }
}

// All sentences are in this file, so that their wording and their tests have one place.
extension CBORError {
    @inline(never) static func truncated(at offset: Int, needed: Int, remaining: Int) -> CBORError {
        CBORError(
            .malformed,
            "The value at byte \(offset) needs \(needed.counted("more byte")); \(remaining)"
                + " \(remaining == 1 ? "is" : "are") left."
        )
    }

    @inline(never) static func countTooLarge(_ count: UInt64, at offset: Int, remaining: Int) -> CBORError {
        CBORError(
            .malformed,
            "The head at byte \(offset) announces \(count.counted("element")); the"
                + " \(remaining.counted("byte")) left cannot hold \(count == 1 ? "it" : "them")."
        )
    }

    @inline(never) static func notShortest(at offset: Int) -> CBORError {
        CBORError(.malformed, "The head at byte \(offset) is longer than its value needs.")
    }

    @inline(never) static func reservedHead(_ byte: UInt8, at offset: Int) -> CBORError {
        CBORError(.malformed, "The byte \(byte) at \(offset) begins no value.")
    }

    @inline(never) static func indefinite(at offset: Int) -> CBORError {
        CBORError(.malformed, "The value at byte \(offset) has no length; lengths are written first.")
    }

    @inline(never) static func tooDeep(at offset: Int, maximum: Int) -> CBORError {
        CBORError(.malformed, "The value at byte \(offset) is nested deeper than \(maximum) levels.")
    }

    @inline(never) static func invalidUTF8(at offset: Int) -> CBORError {
        CBORError(.malformed, "The text at byte \(offset) is not UTF-8.")
    }

    @inline(never) static func trailingBytes(_ count: Int, at offset: Int) -> CBORError {
        CBORError(
            .malformed,
            "\(count.counted("byte")) \(count == 1 ? "follows" : "follow") the end of the value at byte \(offset)."
        )
    }

    @inline(never) static func wrongType(_ found: CBORType, expected: String, at offset: Int) -> CBORError {
        CBORError(.unexpected, "The value at byte \(offset) is \(found), not \(expected).")
    }

    /// A number that is outside its range.
    ///
    /// - Parameters:
    ///   - value: The number that was found.
    ///   - maximum: The largest number that is allowed.
    ///   - offset: The position of the number in the bytes.
    @inline(never) package static func outOfRange(_ value: String, maximum: String, at offset: Int) -> CBORError {
        CBORError(.unexpected, "The number \(value) at byte \(offset) is outside the range up to \(maximum).")
    }

    @inline(never) static func duplicateKey(_ key: String, at offset: Int) -> CBORError {
        CBORError(.duplicate, "The key '\(key)' at byte \(offset) occurs twice in its map.")
    }

    @inline(never) static func valueTooLarge(_ actual: Int, maximum: Int) -> CBORError {
        CBORError(.tooLarge, "The field 'value' has the size \(actual); at most \(maximum) is allowed.")
    }
}
