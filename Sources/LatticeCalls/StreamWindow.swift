/// The number of bytes of a stream that may be sent. It does no I/O.
///
/// An element may be sent while any credit is left, however large the element is. Therefore an element of any size can
/// be sent, and at most one element exceeds the credit. Credit beyond the size of a whole window is ignored.
struct StreamWindow: Equatable {
    private var left = CallLimits.streamWindow

    /// Uses credit for an element.
    ///
    /// - Returns: Whether the element may be sent now.
    mutating func take(_ bytes: Int) -> Bool {
        guard left > 0 else { return false }
        left -= bytes
        return true
    }

    /// Whether any credit is left.
    var isOpen: Bool { left > 0 }

    /// Adds credit.
    ///
    /// - Returns: The number of bytes that were added, which is less than given if the window would exceed its size.
    @discardableResult
    mutating func give(_ bytes: Int) -> Int {
        let credit = min(bytes, CallLimits.streamWindow - left)
        left += credit
        return credit
    }
}
