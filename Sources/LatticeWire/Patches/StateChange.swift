import LatticeCoding

/// A change between two encoded values, which is the payload of a ``PatchMessage``.
///
/// Applying and folding work on bytes and need none of the types that the bytes encode. They produce the bytes that
/// these types would produce, and a ``WireError`` for faulty input.
package struct StateChange: Sendable, Hashable {
    /// The encoded change, which has not been validated.
    package let bytes: [UInt8]

    /// Creates a change from its bytes, without validating them.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Validates the bytes as a change, regardless of the value to which it is applied.
    ///
    /// - Throws: ``WireError`` with `malformedBody`, `duplicateField` or `badField`.
    /// - Complexity: O(*n* + *p* log *p*), where *n* is the number of bytes and *p* is the number of pieces that move.
    package func check() throws(WireError) {
        try attempt { () throws(CBORError) in
            try bytes.withBytes { bytes throws(CBORError) in _ = try ChangeOutline(bytes) }
        }
    }

    /// Returns the encoded value that results from applying the change to another one.
    ///
    /// - Parameters:
    ///   - value: One encoded value, in the deterministic form.
    ///   - maximum: The maximum size of the result in bytes.
    /// - Throws: ``WireError`` like ``check()``. Also with `badField` for a value that cannot be changed in this way,
    ///   and with `tooLarge` for a result above the maximum, before memory for it is allocated.
    /// - Complexity: That of ``check()``, and O(*n*), where *n* is the number of bytes of the value.
    package func apply(to value: [UInt8], maximum: Int) throws(WireError) -> [UInt8] {
        try attempt { () throws(CBORError) in
            try value.withBytes { value throws(CBORError) in
                try bytes.withBytes { bytes throws(CBORError) in
                    var splicer = Splicer(old: value, new: bytes, outline: try ChangeOutline(bytes))
                    try splicer.applyWhole()
                    return try splicer.result(maximum: maximum)
                }
            }
        }
    }

    /// Returns one change that has the effect of this one followed by another one.
    ///
    /// - Parameters:
    ///   - later: The change that is applied to the result of this change.
    ///   - maximum: The maximum size of the result in bytes.
    /// - Throws: ``WireError`` like ``check()`` of both. Also with `badField` for two changes that cannot follow each
    ///   other, and with `tooLarge`.
    /// - Complexity: That of ``check()`` of both.
    package func folded(with later: StateChange, maximum: Int = .max) throws(WireError) -> StateChange {
        try attempt { () throws(CBORError) in
            try bytes.withBytes { bytes throws(CBORError) in
                try later.bytes.withBytes { later throws(CBORError) in
                    var splicer = Splicer(old: bytes, new: later, outline: try ChangeOutline(later))
                    splicer.oldOutline = try ChangeOutline(bytes)
                    try splicer.fold()
                    return StateChange(try splicer.result(maximum: maximum))
                }
            }
        }
    }

    /// Returns a description of the change with one line for each place, such as `files["a.txt"].size = 12 (was 11)` or
    /// `rows[9] moved to 3`. It needs none of the types, and shortens long values.
    ///
    /// Indices are those in the new array, except for elements that are removed and for the old place of an element
    /// that moved.
    ///
    /// - Parameters:
    ///   - state: The encoded value to which the change is applied; nil if it is unknown. Without it, no line shows the
    ///     old value.
    ///   - maximumLines: The maximum number of lines. The remaining lines are counted in one more line.
    /// - Throws: ``WireError`` like ``check()``, and like ``apply(to:maximum:)`` for a state to which the change does
    ///   not apply.
    /// - Complexity: O(*n* *d*), where *n* is the number of bytes of both and *d* is the depth of the change.
    package func lines(changing state: [UInt8]? = nil, maximumLines: Int = 100) throws(WireError) -> [String] {
        try attempt { () throws(CBORError) in
            try (state ?? []).withBytes { state throws(CBORError) in
                try bytes.withBytes { bytes throws(CBORError) in
                    try ChangeText.lines(bytes, of: state, maximum: maximumLines)
                }
            }
        }
    }

    private func attempt<Result>(_ body: () throws(CBORError) -> Result) throws(WireError) -> Result {
        do {
            return try body()
        } catch {
            throw WireError(error)
        }
    }
}
