/// Names a case of an enum by a key path: `\.loaded`, or through several enums, `\.search.query`.
///
/// It is a key path from the enum's ``CasePathable/AllCasePaths``. A literal that names one case is a constant, and costs
/// about as much as a `switch`. One that goes through several enums is put together anew each time it is evaluated, which
/// takes microseconds: what runs often keeps `AnyCasePath(path)`, which has nothing left to look up.
public typealias CaseKeyPath<Root: CasePathable, Value> = KeyPath<Root.AllCasePaths, AnyCasePath<Root, Value>>

extension KeyPath {
    /// The enum in this case with `payload`: `path(5)` for `\.loaded`.
    @inlinable
    public func callAsFunction<Enum: CasePathable, Payload>(_ payload: Payload) -> Enum
    where Root == Enum.AllCasePaths, Value == AnyCasePath<Enum, Payload> {
        Enum.allCasePaths[keyPath: self].embed(payload)
    }

    /// The enum in this case, which has no payload: `path()` for `\.start`.
    @inlinable
    public func callAsFunction<Enum: CasePathable>() -> Enum
    where Root == Enum.AllCasePaths, Value == AnyCasePath<Enum, Void> {
        Enum.allCasePaths[keyPath: self].embed(())
    }
}
