/// An effect that was running when its worker terminated and that can be started again. See
/// ``Emission/named(_:whenInterrupted:)``.
public struct InterruptedEffect: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The name that the feature gave to the effect.
    public let name: String
    /// The number of workers that have crashed while an effect with this name ran, including this one, since an effect
    /// with this name last ended normally. Workers that were killed from outside are not counted.
    ///
    /// All effects that run during a crash are counted alike. If an effect ran alone each time, it is the cause. If
    /// several ran, try them one after another.
    public let deaths: Int

    /// Creates an interrupted effect.
    public init(name: String, deaths: Int) {
        self.name = name
        self.deaths = deaths
    }

    /// The name and the number of workers that crashed, such as "thumbnails (2 deaths)".
    public var description: String { "\(name) (\(deaths) \(deaths == 1 ? "death" : "deaths"))" }
}
