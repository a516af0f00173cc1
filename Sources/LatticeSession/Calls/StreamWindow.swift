/// How much of a stream may be sent. It does no I/O.
///
/// The rule: an element may be sent while anything is granted, however large it is. So no element is too large to be
/// granted, and one at most is beyond what the other side takes. There is never more than the whole window: what is
/// granted beyond that is no credit.
struct StreamWindow: Equatable {
    private var left = CallLimits.streamWindow

    /// - Returns: Whether so many bytes may be sent now.
    mutating func take(_ bytes: Int) -> Bool {
        guard left > 0 else { return false }
        left -= bytes
        return true
    }

    /// Whether anything may be sent.
    var isOpen: Bool { left > 0 }

    /// - Returns: How many of the bytes are credit.
    @discardableResult
    mutating func give(_ bytes: Int) -> Int {
        let credit = min(bytes, CallLimits.streamWindow - left)
        left += credit
        return credit
    }
}
