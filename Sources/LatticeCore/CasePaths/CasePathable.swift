/// An enum whose cases can be referred to by key paths: `\.loaded` is the case `loaded` with its payload.
///
/// `@CasePathable` of the module `Lattice` generates the conformance. Without the macro, write a property for each case
/// that you want to refer to:
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
/// An enum that is also marked `@dynamicMemberLookup` provides its payloads as optional properties: `action.loaded`.
public protocol CasePathable: SendableMetatype {
    /// A type with a property for each case, of type `AnyCasePath<Self, Payload>` and with the name of the case. The
    /// payload is `Void` for a case without associated values, and a tuple for a case with several of them.
    associatedtype AllCasePaths

    /// The case paths of the enum.
    static var allCasePaths: AllCasePaths { get }
}

extension CasePathable {
    /// A shorter name for the root of the key paths, as in `\Action.Cases.loaded`.
    public typealias Cases = AllCasePaths

    /// The payload if this value is in the case, else nil: `action.loaded`. The enum must be marked
    /// `@dynamicMemberLookup`.
    @inlinable
    public subscript<Payload>(dynamicMember path: CaseKeyPath<Self, Payload>) -> Payload? {
        AnyCasePath(path).extract(from: self)
    }
}

/// A key path that refers to a case of an enum: `\.loaded`, or through several enums `\.search.query`.
///
/// It is a key path from the enum's ``CasePathable/AllCasePaths``. A literal that refers to one case is a constant, and
/// costs about as much as a `switch`. A literal that goes through several enums is composed each time it is evaluated,
/// which takes microseconds. In code that runs often, store `AnyCasePath(path)`, which needs no further look-up.
public typealias CaseKeyPath<Root: CasePathable, Value> = KeyPath<Root.AllCasePaths, AnyCasePath<Root, Value>>

/// The case paths of an optional. They allow a path through an optional payload: `\.destination.some.settings`.
extension Optional: CasePathable {
    /// The cases of an optional.
    public struct AllCasePaths {
        /// The case `none`.
        public var none: AnyCasePath<Wrapped?, Void> {
            AnyCasePath(embed: { nil }, extract: { if case .none = $0 { () } else { nil } })
        }

        /// The case `some` with the wrapped value.
        public var some: AnyCasePath<Wrapped?, Wrapped> {
            AnyCasePath(embed: { $0 }, extract: { $0 })
        }
    }

    /// The case paths of an optional.
    public static var allCasePaths: AllCasePaths { AllCasePaths() }
}

/// The case paths of a result, for a result that an action carries: `\.loaded.success`.
extension Result: CasePathable {
    /// The cases of a result.
    public struct AllCasePaths {
        /// The case `success` with its value.
        public var success: AnyCasePath<Result, Success> {
            AnyCasePath(embed: { .success($0) }, extract: { if case .success(let value) = $0 { value } else { nil } })
        }

        /// The case `failure` with its error.
        public var failure: AnyCasePath<Result, Failure> {
            AnyCasePath(embed: { .failure($0) }, extract: { if case .failure(let error) = $0 { error } else { nil } })
        }
    }

    /// The case paths of a result.
    public static var allCasePaths: AllCasePaths { AllCasePaths() }
}
