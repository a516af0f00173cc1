/// Writes the table of stable names of a distributed actor, or of a protocol that is `@Resolvable`: then callers name
/// the methods as the source does, and not as the compiler, and may be built from another version of it.
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
/// What the table is of is declared, as it is without this macro: the actor or the protocol has `StableNamed` among its
/// types. In the table are all `distributed` methods and properties of the declaration itself. Those of extensions are
/// called by the compiler's names, as generic methods are, which cannot be in a table.
///
/// A method gets one more entry for each of its last parameters that has a default: so who was built before the
/// parameter was there calls it as before.
///
/// It is never needed: a table may be written by hand, and an actor goes without.
@attached(extension, names: named(stableMethods))
public macro StableNames() = #externalMacro(module: "LatticeMacros", type: "StableNamesMacro")
