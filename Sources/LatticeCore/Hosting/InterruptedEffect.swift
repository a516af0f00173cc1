/// An effect that ran when its worker died, and that may be started again; see
/// ``Emission/named(_:whenInterrupted:)``.
public struct InterruptedEffect: Sendable, Hashable, Codable, CustomStringConvertible {
    /// What the feature called it.
    public let name: String
    /// How many workers have ended by their own doing while an effect with this name ran, this one among them, since
    /// one was last seen to end. A worker that somebody killed is not counted.
    ///
    /// All that ran is counted alike. An effect that was alone each time is to blame; of several, try one after the
    /// other.
    public let deaths: Int

    public init(name: String, deaths: Int) {
        self.name = name
        self.deaths = deaths
    }

    public var description: String { "\(name) (\(deaths) deaths)" }
}
