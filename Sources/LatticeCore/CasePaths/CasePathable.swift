/// An enum whose cases can be named by key paths: `\.loaded` stands for the case `loaded` and its payload.
///
/// `@CasePathable` of module `Lattice` writes the conformance. Where no macro is wanted it is written by hand, one
/// property for each case that is to be named:
///
/// ```swift
/// enum LoadAction: CasePathable {
///     case start
///     case loaded(Int)
///
///     struct AllCasePaths {
///         var start: AnyCasePath<LoadAction, Void> {
///             AnyCasePath(embed: { .start }, extract: { if case .start = $0 { () } else { nil } })
///         }
///         var loaded: AnyCasePath<LoadAction, Int> {
///             AnyCasePath(embed: { .loaded($0) }, extract: { if case .loaded(let value) = $0 { value } else { nil } })
///         }
///     }
///     static var allCasePaths: AllCasePaths { AllCasePaths() }
/// }
/// ```
///
/// An enum that is also marked `@dynamicMemberLookup` shows its payloads as optional properties: `action.loaded`.
public protocol CasePathable: SendableMetatype {
    /// One property for each case, of type `AnyCasePath<Self, Payload>` and with the name of the case. The payload of a
    /// case without associated values is `Void`, that of a case with several of them is a tuple.
    associatedtype AllCasePaths

    static var allCasePaths: AllCasePaths { get }
}

extension CasePathable {
    /// Another name for the key paths' root, as in `\Action.Cases.loaded`.
    public typealias Cases = AllCasePaths

    /// The payload if this value is in the case, else nil: `action.loaded`. Needs `@dynamicMemberLookup` on the enum.
    @inlinable
    public subscript<Payload>(dynamicMember path: CaseKeyPath<Self, Payload>) -> Payload? {
        AnyCasePath(path).extract(from: self)
    }
}

/// Names a case of an enum by a key path: `\.loaded`, or through several enums, `\.search.query`.
///
/// It is a key path from the enum's ``CasePathable/AllCasePaths``. A literal that names one case is a constant, and
/// costs about as much as a `switch`. One that goes through several enums is put together anew each time it is
/// evaluated, which takes microseconds: what runs often keeps `AnyCasePath(path)`, which has nothing left to look up.
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

/// Names the case `some` on the way through an optional payload: `\.destination.some.settings`.
extension Optional: CasePathable {
    public struct AllCasePaths {
        public var none: AnyCasePath<Wrapped?, Void> {
            AnyCasePath(embed: { nil }, extract: { if case .none = $0 { () } else { nil } })
        }

        public var some: AnyCasePath<Wrapped?, Wrapped> {
            AnyCasePath(embed: { $0 }, extract: { $0 })
        }
    }

    public static var allCasePaths: AllCasePaths { AllCasePaths() }
}

/// Names the cases of a result that an action carries: `\.loaded.success`.
extension Result: CasePathable {
    public struct AllCasePaths {
        public var success: AnyCasePath<Result, Success> {
            AnyCasePath(embed: { .success($0) }, extract: { if case .success(let value) = $0 { value } else { nil } })
        }

        public var failure: AnyCasePath<Result, Failure> {
            AnyCasePath(embed: { .failure($0) }, extract: { if case .failure(let error) = $0 { error } else { nil } })
        }
    }

    public static var allCasePaths: AllCasePaths { AllCasePaths() }
}
