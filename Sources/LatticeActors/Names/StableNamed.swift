public import Distributed

/// An actor whose methods are called by names of their own, in place of those that the compiler makes.
///
/// The compiler's names have the module in them and every type of the signature. A table of names lets both sides be
/// built from different sources, as long as what they both know is the same: a method may get one more parameter with a
/// default, and its file or its module another name. What does not fit is an error when the actor is looked up
/// (``LatticeActorSystem/resolve(_:named:within:)``), and not at some call.
///
/// The table is written by hand, or by `@StableNames`:
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
/// Methods that it does not have are called by the compiler's names, as are those of an actor whose other side has no
/// table. A protocol that is `@Resolvable` may refine this one and have the table in an extension: then the actors that
/// conform to it have that, and so has what `@Resolvable` makes.
public protocol StableNamed: DistributedActor where ActorSystem == LatticeActorSystem {
    /// The methods, in any order, and 1,024 at most; looked at once.
    ///
    /// Of two with the same name, which only differ in their types, the first one counts, and the second one is called
    /// by the compiler's name.
    static var stableMethods: [StableMethod] { get }
}
