import Distributed
import LatticeActors
import LatticeConcurrency
import LatticeTestSupport

/// The program that serves the clerk: a module of its own would be one more name around it.
enum Served {
    distributed actor Clerk: StableNamed {
        typealias ActorSystem = LatticeActorSystem

        private var begun: [Int] = []

        distributed func greet(_ name: String, loudly: Bool = false) -> String {
            loudly ? "HELLO, \(name.uppercased())" : "hello, \(name)"
        }

        distributed func begin(_ number: Int) async {
            begun.append(number)
            if number.isMultiple(of: 3) { await Task.yield() }
        }

        distributed func order() -> [Int] { begun }
        distributed var count: Int { begun.count }
        distributed func sell(left: Int) throws -> Int { throw Desk.SoldOut(left: left) }
        distributed func tell() throws { throw Desk.Secret(password: "1234") }

        distributed func wait(at gate: String) async throws -> String {
            try await Gates.wait(gate)
            return gate
        }

        distributed func deadline() -> Bool { MonotonicDeadline.current != .never }
        distributed func numbers(to end: Int) -> ActorStream<Int> { ActorStream(0..<end) }
        distributed func ask(_ other: Clerk) async throws -> String { try await other.greet("Ann") }
        distributed func prices() -> [String: Int] { [:] }
        distributed func unlisted() -> Int { 7 }
        distributed func add(_ a: Int, to b: Int) -> Int { a + b }
        /// A method with the same base name that is in no table.
        distributed func add(_ a: String, to b: String) -> String { b + a }

        static var stableMethods: [StableMethod] {
            [
                StableMethod("greet(_:loudly:)") { (actor: isolated Self, name: String, loudly: Bool) in
                    actor.greet(name, loudly: loudly)
                },
                StableMethod("greet(_:)", isFormer: true) { (actor: isolated Self, name: String) in actor.greet(name) },
                StableMethod("begin(_:)") { (actor: isolated Self, number: Int) in await actor.begin(number) },
                StableMethod("order()") { (actor: isolated Self) in actor.order() },
                StableMethod("count()") { (actor: isolated Self) in actor.count },
                StableMethod("sell(left:)") { (actor: isolated Self, left: Int) in try actor.sell(left: left) },
                StableMethod("tell()") { (actor: isolated Self) in try actor.tell() },
                StableMethod("wait(at:)") { (actor: isolated Self, gate: String) in try await actor.wait(at: gate) },
                StableMethod("deadline()") { (actor: isolated Self) in actor.deadline() },
                StableMethod("numbers(to:)") { (actor: isolated Self, end: Int) in actor.numbers(to: end) },
                StableMethod("ask(_:)") { (actor: isolated Self, other: Clerk) in try await actor.ask(other) },
                StableMethod("prices()") { (actor: isolated Self) in actor.prices() },
                StableMethod("add(_:to:)") { (actor: isolated Self, a: Int, b: Int) in actor.add(a, to: b) },
            ]
        }
    }
}

/// A program that was built before the clerk's was, from another module.
enum Calling {
    distributed actor Clerk: StableNamed {
        typealias ActorSystem = LatticeActorSystem

        distributed func greet(_ name: String) -> String { name }
        distributed func begin(_ number: Int) {}
        distributed func order() -> [Int] { [] }
        distributed var count: Int { 0 }
        distributed func sell(left: Int) throws -> Int { 0 }
        distributed func tell() throws {}
        distributed func wait(at gate: String) async throws -> String { gate }
        distributed func deadline() -> Bool { false }
        distributed func numbers(to end: Int) -> ActorStream<Int> { ActorStream([]) }
        distributed func unlisted() -> Int { 0 }

        static var stableMethods: [StableMethod] {
            [
                StableMethod("greet(_:)") { (actor: isolated Self, name: String) in actor.greet(name) },
                StableMethod("begin(_:)") { (actor: isolated Self, number: Int) in actor.begin(number) },
                StableMethod("order()") { (actor: isolated Self) in actor.order() },
                StableMethod("count()") { (actor: isolated Self) in actor.count },
                StableMethod("sell(left:)") { (actor: isolated Self, left: Int) in try actor.sell(left: left) },
                StableMethod("tell()") { (actor: isolated Self) in try actor.tell() },
                StableMethod("wait(at:)") { (actor: isolated Self, gate: String) in try await actor.wait(at: gate) },
                StableMethod("deadline()") { (actor: isolated Self) in actor.deadline() },
                StableMethod("numbers(to:)") { (actor: isolated Self, end: Int) in actor.numbers(to: end) },
            ]
        }
    }

    /// An actor type with a method that the other side does not have.
    distributed actor Ahead: StableNamed {
        typealias ActorSystem = LatticeActorSystem
        distributed func dismiss(at hour: Int) {}
        static var stableMethods: [StableMethod] {
            [StableMethod("dismiss(at:)") { (actor: isolated Self, hour: Int) in actor.dismiss(at: hour) }]
        }
    }

    /// An actor type whose method has another result type than on the other side.
    distributed actor Apart: StableNamed {
        typealias ActorSystem = LatticeActorSystem
        distributed func prices() -> [String: Double] { [:] }
        static var stableMethods: [StableMethod] {
            [StableMethod("prices()") { (actor: isolated Self) in actor.prices() }]
        }
    }
}

@Resolvable
protocol Waiter: StableNamed where ActorSystem == LatticeActorSystem {
    distributed func serve(_ dish: String) async throws -> String
    distributed var tables: Int { get }
}

extension Waiter {
    static var stableMethods: [StableMethod] {
        [
            StableMethod("serve(_:)") { (actor: isolated Self, dish: String) in try await actor.serve(dish) },
            StableMethod("tables()") { (actor: isolated Self) in actor.tables },
        ]
    }
}

distributed actor QuickWaiter: Waiter {
    typealias ActorSystem = LatticeActorSystem
    distributed func serve(_ dish: String) -> String { "\(dish), at once" }
    distributed var tables: Int { 4 }
}

/// An actor that does not conform to the protocol, because its program may have another one.
distributed actor Steward: StableNamed {
    typealias ActorSystem = LatticeActorSystem
    distributed func serve(_ dish: String) -> String { "\(dish), sir" }
    distributed func tables() -> Int { 9 }
    static var stableMethods: [StableMethod] {
        [
            StableMethod("serve(_:)") { (actor: isolated Self, dish: String) in actor.serve(dish) },
            StableMethod("tables()") { (actor: isolated Self) in actor.tables() },
        ]
    }
}

distributed actor Crate<Item: Codable & Sendable>: StableNamed {
    typealias ActorSystem = LatticeActorSystem
    distributed func put(_ item: Item) -> Item { item }
    static var stableMethods: [StableMethod] {
        [StableMethod("put(_:)") { (actor: isolated Self, item: Item) in actor.put(item) }]
    }
}
