/// An event was sent, and nobody is left who knows what became of it: whether it was applied, or how it ended.
///
/// It is never sent again. Two are equal: why nobody knows is for people.
public struct UnknownOutcome: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence that says why nobody knows. Left out of comparisons.
    public let reason: String

    public init(reason: String) {
        self.reason = reason
    }

    public static func == (lhs: Self, rhs: Self) -> Bool { true }

    public func hash(into hasher: inout Hasher) {}

    public var description: String { reason }
}
