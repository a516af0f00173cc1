/// Makes the cases of an enum nameable by key paths: `\.loaded`, `\.search.query`.
///
/// Adds the conformance to `CasePathable`, with one case path for each case; see there for what an enum can do with
/// them. The payload of a case without associated values is `Void`, that of a case with several is a tuple with their
/// labels. The enum's access level, availability and `#if`s hold for the case paths too. Mark the enum
/// `@dynamicMemberLookup` as well to read payloads as properties.
///
/// ```swift
/// @CasePathable
/// @dynamicMemberLookup
/// enum SearchAction {
///     case queryChanged(String)
///     case loaded(page: Int, results: [String])
/// }
/// ```
@attached(member, conformances: CasePathable, names: named(AllCasePaths), named(allCasePaths))
@attached(extension, conformances: CasePathable)
public macro CasePathable() = #externalMacro(module: "LatticeMacros", type: "CasePathableMacro")
