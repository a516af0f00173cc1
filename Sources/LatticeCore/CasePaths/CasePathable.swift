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
