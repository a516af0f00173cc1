/// An effect did not end in the time that ``Emission/timeout(_:clock:)`` gives it.
public struct EffectTimeout: Error, Sendable, Hashable, CustomStringConvertible {
    /// The time it had, as the clock describes it.
    public let limit: String

    public var description: String { "did not end within \(limit)" }
}
