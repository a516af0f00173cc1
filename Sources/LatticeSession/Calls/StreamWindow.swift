/// How much of a stream may be sent. It does no I/O.
///
/// The rule: an element may be sent while anything is granted, however large it is. So no element is too large to be
/// granted, and one at most is beyond what the other side takes.
struct StreamWindow {
    private var left = CallLimits.streamWindow

    /// - Returns: Whether so many bytes may be sent now.
    mutating func take(_ bytes: Int) -> Bool {
        guard left > 0 else { return false }
        left -= bytes
        return true
    }

    /// Whether anything may be sent.
    var isOpen: Bool { left > 0 }

    mutating func give(_ bytes: Int) {
        let (sum, isTooMuch) = left.addingReportingOverflow(bytes)
        left = isTooMuch ? .max : sum
    }
}
