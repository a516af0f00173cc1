/// Generates the table of stable names of a distributed actor, or of a protocol that is `@Resolvable`. Callers then use
/// the names of methods in the source instead of the compiler's names, and can be built from another version of the
/// source.
///
/// ```swift
/// import Lattice
/// import LatticeActors
///
/// @Resolvable
/// @StableNames
/// protocol Greeter: StableNamed where ActorSystem == LatticeActorSystem {
///     distributed func greet(_ name: String) async throws -> String
/// }
/// ```
///
/// The actor or the protocol must declare the conformance to `StableNamed`, as without this macro. The table contains
/// all `distributed` methods and properties of the declaration itself. Methods in extensions and generic methods are
/// not in the table, and are called by the compiler's names.
///
/// A method has an additional entry for each of its last parameters that has a default value. A caller that was built
/// before the parameter was added can therefore still call the method.
///
/// The macro is optional. You can write a table yourself, and an actor works without one.
@attached(extension, names: named(stableMethods))
public macro StableNames() = #externalMacro(module: "LatticeMacros", type: "StableNamesMacro")
