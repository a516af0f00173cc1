import LatticeCoding

/// What has changed between two encoded values: the payload of a ``PatchMessage``.
///
/// Applying and folding work on bytes and need none of the types behind them. They give the bytes that these types
/// would give, and a ``WireError`` for whatever is not in order.
package struct StateChange: Sendable, Hashable {
    /// The encoded change. Nobody has looked at it yet.
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Checks that the bytes are a change, whatever it may be made to.
    ///
    /// - Throws: ``WireError`` with `malformedBody`, `duplicateField` or `badField`.
    /// - Complexity: O(*n* + *p* log *p*), where *n* is the number of bytes and *p* that of the pieces which move.
    package func check() throws(WireError) {
        try attempt { () throws(CBORError) in
            try bytes.withBytes { bytes throws(CBORError) in _ = try ChangeOutline(bytes) }
        }
    }

    /// The encoded value that the change makes of another one.
    ///
    /// - Parameters:
    ///   - value: one encoded value, in the deterministic form.
    ///   - maximum: bytes that the result may have.
    /// - Throws: ``WireError`` as ``check()``; with `badField` also for a value that cannot be changed in this way, and
    ///   with `tooLarge` for a result above the maximum, before there is room for it.
    /// - Complexity: that of ``check()``, and O(*n*), where *n* is the number of bytes of the value.
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

    /// One change that does what this one and then another one do.
    ///
    /// - Parameters:
    ///   - later: what is made to the value that this change leads to.
    ///   - maximum: bytes that the result may have.
    /// - Throws: ``WireError`` as ``check()`` of both; with `badField` also for two that cannot follow each other, and
    ///   with `tooLarge`.
    /// - Complexity: that of ``check()`` of both.
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

    /// What the change does, in words: a line for each place, such as `files["a.txt"].size = 12 (was 11)` or
    /// `rows[9] moved to 3`. It needs none of the types, and shows of long values how they begin.
    ///
    /// Indices are those in the new array, but for what is removed and for where an element was that moved.
    ///
    /// - Parameters:
    ///   - state: the encoded value that it is made to; nil where nobody knows it: then no line tells what was there.
    ///   - maximumLines: what else there is to say is counted in a last line.
    /// - Throws: ``WireError`` as ``check()``, and as ``apply(to:maximum:)`` for a state that it does not fit.
    /// - Complexity: O(*n* *d*), where *n* is the number of bytes of both and *d* how deep the change goes.
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
