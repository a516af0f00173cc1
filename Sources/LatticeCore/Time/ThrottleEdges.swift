/// Which of the calls within one period of a throttle run.
public struct ThrottleEdges: Sendable, Hashable, CustomStringConvertible {
    enum Value: String { case leading, trailing, both }
    let value: Value

    /// The first one, at once; the others are skipped.
    public static let leading = ThrottleEdges(value: .leading)
    /// The last one, when the period that the first one has begun is over.
    public static let trailing = ThrottleEdges(value: .trailing)
    /// The first one, at once, and the last of the others when the period is over; that begins the next period.
    public static let both = ThrottleEdges(value: .both)

    public var description: String { value.rawValue }
}
