public import Distributed

/// An actor whose methods are called by stable names in place of the compiler's mangled names.
///
/// A mangled name contains the module and every type of the signature. With a table of stable names, both sides can be
/// built from different sources if they agree on the methods that both know. A method can get an additional parameter
/// with a default, and its file or module can be renamed. A mismatch is an error when the actor is looked up with
/// ``LatticeActorSystem/resolve(_:named:within:)``, and not at a later call.
///
/// Write the table by hand, or use `@StableNames`:
///
/// ```swift
/// distributed actor Greeter: StableNamed {
///     typealias ActorSystem = LatticeActorSystem
///
///     distributed func greet(_ name: String) -> String { "hello, \(name)" }
///
///     static var stableMethods: [StableMethod] {
///         [StableMethod("greet(_:)") { (actor: isolated Self, name: String) in actor.greet(name) }]
///     }
/// }
/// ```
///
/// Methods that are not in the table are called by their mangled names. The same is true for all methods if the other
/// side has no table. A protocol with `@Resolvable` can refine this protocol and define the table in an extension.
/// Actors that conform to it, and the type that `@Resolvable` creates, then have that table.
public protocol StableNamed: DistributedActor where ActorSystem == LatticeActorSystem {
    /// The methods in any order, at most 1,024. The property is read once.
    ///
    /// If two methods have the same name and only differ in their types, the first one is in the table, and the second
    /// one is called by its mangled name.
    static var stableMethods: [StableMethod] { get }
}
