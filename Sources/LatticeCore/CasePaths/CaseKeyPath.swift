/// Names a case of an enum by a key path: `\.loaded`, or through several enums, `\.search.query`.
///
/// It is a key path from the enum's ``CasePathable/AllCasePaths``, so it is found where ordinary key paths are found and
/// is a constant if it names one case. What runs often keeps `AnyCasePath(path)`, which has nothing left to look up.
public typealias CaseKeyPath<Root: CasePathable, Value> = KeyPath<Root.AllCasePaths, AnyCasePath<Root, Value>>

extension KeyPath {
    /// The enum in this case with `payload`: `path(5)` for `\.loaded`.
    public func callAsFunction<Enum: CasePathable, Payload>(_ payload: Payload) -> Enum
    where Root == Enum.AllCasePaths, Value == AnyCasePath<Enum, Payload> {
        Enum.allCasePaths[keyPath: self].embed(payload)
    }

    /// The enum in this case, which has no payload: `path()` for `\.start`.
    public func callAsFunction<Enum: CasePathable>() -> Enum
    where Root == Enum.AllCasePaths, Value == AnyCasePath<Enum, Void> {
        Enum.allCasePaths[keyPath: self].embed(())
    }
}
