/// Generates key paths for the cases of an enum: `\.loaded`, `\.search.query`.
///
/// The macro adds the conformance to `CasePathable`, with one case path for each case. The protocol's documentation
/// describes what you can do with them. The payload is `Void` for a case without associated values, and a tuple with
/// their labels for a case with several of them. The case paths have the enum's access level, availability and `#if`
/// conditions. Mark the enum `@dynamicMemberLookup` as well to read payloads as properties.
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
