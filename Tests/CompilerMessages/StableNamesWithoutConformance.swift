// error: initializer 'init(_:isFormer:_:)' requires that 'Self' conform to 'StableNamed'
// note: in expansion of macro 'StableNames' on distributed actor 'Clerk' here
import Distributed
import Lattice
import LatticeActors

@StableNames
distributed actor Clerk {
    typealias ActorSystem = LatticeActorSystem
    distributed func greet(_ name: String) -> String { name }
}
