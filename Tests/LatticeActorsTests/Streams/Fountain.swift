import Distributed
import LatticeActors
import LatticeTestSupport

/// Answers with streams.
distributed actor Fountain {
    typealias ActorSystem = LatticeActorSystem

    /// The number of elements that were requested, by names that are unique among tests.
    static let asked = Watched<[String: Int]>([:])

    distributed func numbers(to end: Int) -> ActorStream<Int> { ActorStream(0..<end) }

    /// Throws behind the first elements.
    distributed func failing(behind count: Int) -> ActorStream<Int> {
        ActorStream(Counting(end: count, error: Desk.SoldOut(left: count)))
    }

    distributed func none() throws -> ActorStream<Int> { throw Desk.SoldOut(left: 0) }

    /// Returns a stream of elements with this many bytes, created on demand.
    distributed func blocks(of bytes: Int, counted name: String, upTo end: Int) -> ActorStream<[UInt8]> {
        ActorStream(
            AsyncStream {
                let count = Fountain.count(name)
                return count > end ? nil : [UInt8](repeating: UInt8(truncatingIfNeeded: count), count: bytes)
            }
        )
    }

    /// Returns a stream with one element that then waits until the gate is open.
    distributed func waiting(at gate: String) -> ActorStream<String> { ActorStream(Gated(gate: gate)) }

    distributed func several() -> [ActorStream<Int>] { [ActorStream(Counting(end: 1))] }
    distributed func odd() -> ActorStream<Odd> { ActorStream(AsyncStream { Odd() }) }
    distributed func add(_ a: Int, _ b: Int) -> Int { a + b }

    private static func count(_ name: String) -> Int {
        asked.change { $0[name, default: 0] += 1 }
        return asked.value[name] ?? 0
    }
}

/// An element that cannot be encoded.
struct Odd: Codable, Sendable {
    struct Failure: Error {}

    init() {}
    init(from decoder: any Decoder) throws {}
    func encode(to encoder: any Encoder) throws { throw Failure() }
}

struct Counting: AsyncSequence, Sendable {
    let end: Int
    var error: (any Error)?

    struct Iterator: AsyncIteratorProtocol {
        var next = 0
        let sequence: Counting

        mutating func next() async throws -> Int? {
            guard next < sequence.end else {
                if let error = sequence.error { throw error }
                return nil
            }
            defer { next += 1 }
            return next
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(sequence: self) }
}

struct Gated: AsyncSequence, Sendable {
    let gate: String

    struct Iterator: AsyncIteratorProtocol {
        var count = 0
        let gate: String

        mutating func next() async throws -> String? {
            count += 1
            if count == 2 { try await Gates.wait(gate) }
            return count < 3 ? "\(count)" : nil
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(gate: gate) }
}

@Resolvable
protocol Spring: DistributedActor where ActorSystem == LatticeActorSystem {
    distributed func drops(_ count: Int) async throws -> ActorStream<Int>
}

distributed actor MountainSpring: Spring {
    typealias ActorSystem = LatticeActorSystem
    distributed func drops(_ count: Int) -> ActorStream<Int> { ActorStream(Counting(end: count)) }
}
