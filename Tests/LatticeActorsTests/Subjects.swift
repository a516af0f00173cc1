import Distributed
import LatticeActors
import LatticeConcurrency
import LatticeCore
import LatticeTestSupport

/// The actor that these tests call.
distributed actor Desk {
    typealias ActorSystem = LatticeActorSystem

    struct Form: Codable, Sendable, Equatable {
        var name: String
        var numbers: [Int]
        var picture: [UInt8]
    }

    /// An error that both sides know.
    struct SoldOut: Error, Codable, Equatable {
        let left: Int
    }

    /// An error type that is not registered.
    struct Secret: Error, Codable {
        let password: String
    }

    distributed actor Drawer {
        typealias ActorSystem = LatticeActorSystem
        distributed func open(_ number: Int) -> Int { number }
    }

    private var begun: [Int] = []
    private var count = 0

    distributed func echo(_ form: Form) -> Form { form }
    distributed func add(_ a: Int, to b: Int) -> Int { a + b }
    distributed func nothing() { count += 1 }
    distributed var counted: Int { count }
    distributed func sell(left: Int) throws -> Int { throw SoldOut(left: left) }
    distributed func tell() throws { throw Secret(password: "1234") }
    distributed func typed() throws(SoldOut) { throw SoldOut(left: 0) }
    distributed func same<Value: Codable & Sendable>(_ value: Value) -> Value { value }

    distributed func three<A: Codable & Sendable, B: Codable & Sendable, C: Codable & Sendable>(
        _ a: A,
        _ b: B,
        _ c: C
    ) -> C { c }

    /// Waits until a gate is open, or it is cancelled.
    distributed func wait(at gate: String) async throws -> String {
        try await Gates.wait(gate)
        return gate
    }

    /// Waits for a gate, whatever happens.
    distributed func stubborn(at gate: String) async -> String {
        await Task { try? await Gates.wait(gate) }.value
        return gate
    }

    distributed func pass(_ gate: String) async throws { try await Gates.wait(gate) }
    distributed func fail() throws { throw SoldOut(left: 1) }

    distributed func begin(_ number: Int) async {
        begun.append(number)
        if number.isMultiple(of: 3) { await Task.yield() }
    }

    distributed func order() -> [Int] { begun }

    /// Returns what the running task knows about its caller.
    distributed func context() -> [String] {
        [EventID.current.map { "\($0)" } ?? "no event"]
            + TraceContext.current.keys.map { "\($0)=\(TraceContext.current[$0] ?? "")" }
    }

    /// Returns the context of the actor that this one calls.
    distributed func context(of other: Desk) async throws -> [String] { try await other.context() }

    distributed func deadline() -> Bool { MonotonicDeadline.current != .never }

    /// Calls another actor to add two numbers.
    distributed func ask(_ other: Desk, _ a: Int, _ b: Int) async throws -> Int { try await other.add(a, to: b) }
    distributed func myself() -> Desk { self }
    distributed func large(_ bytes: Int) -> [UInt8] { [UInt8](repeating: 7, count: bytes) }

    distributed func large(_ bytes: Int, at gate: String) async throws -> [UInt8] {
        try await Gates.wait(gate)
        return [UInt8](repeating: 7, count: bytes)
    }

    distributed func size(of bytes: [UInt8]) -> Int { bytes.count }
}

distributed actor Box<Item: Codable & Sendable> {
    typealias ActorSystem = LatticeActorSystem
    private var item: Item?

    distributed func put(_ item: Item) -> Item {
        self.item = item
        return item
    }
}

@Resolvable
protocol Greeter: DistributedActor where ActorSystem == LatticeActorSystem {
    distributed func greet(_ name: String) async throws -> String
}

distributed actor FriendlyGreeter: Greeter {
    typealias ActorSystem = LatticeActorSystem
    distributed func greet(_ name: String) -> String { "hello, \(name)" }
}
