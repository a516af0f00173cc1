public import Distributed
import Lattice
public import LatticeActors
import Testing

/// Tests the names that `@StableNames` writes with the compiler and the runtime.
@Suite struct StableNamesTests {
    @Test func namesAndSignatures() {
        let methods = Almanac.stableMethods
        #expect(
            methods.map { "\($0.name) \($0.signature)\($0.isFormer ? " formerly" : "")" } == [
                "entry(of:) (Day) -> Optional<Day>",
                "note(_:on:loudly:) (String, Day, Bool) -> Void", "note(_:on:) (String, Day) -> Void formerly",
                "note(_:) (String) -> Void formerly", "title() () -> String", "default(in:) (Int) -> Int",
                "two words() () -> Void", "größe(für:) (Int) -> Int",
            ]
        )
        #expect(Shelf<Int>.stableMethods.map(\.signature) == ["(Int) -> Array<Int>"])
        #expect(ShelfOfNothing.stableMethods.isEmpty)
        #expect(Diary.stableMethods.map(\.name) == ["read()", "pages()"])
    }

    @Test func theTableHasTheCompilersNames() async throws {
        let system = LatticeActorSystem()
        try system.host("diary") { Diary(actorSystem: $0) }
        let diary = try await system.resolve($Readable.self, named: "diary")
        let text = try await diary.read()
        let pages = try await diary.pages()
        #expect(text == "dear diary" && pages == 2)
    }
}

struct Day: Codable, Sendable {
    var number = 0
}

@StableNames
distributed actor Almanac: StableNamed {
    typealias ActorSystem = LatticeActorSystem

    distributed func entry(of day: Day) -> Day? { day }
    distributed func note(_ text: String, on day: Day = Day(), loudly: Bool = false) async throws {}
    distributed var title: String { "almanac" }
    distributed func `default`(in year: Int) -> Int { year }
    distributed func `two words`() {}
    distributed func größe(für seite: Int) -> Int { seite }
    func own() {}
}

extension Almanac {
    distributed func same<Value: Codable & Sendable>(_ value: Value) -> Value { value }
}

@StableNames
public distributed actor Shelf<Item: Codable & Sendable>: StableNamed {
    public typealias ActorSystem = LatticeActorSystem
    public distributed func put(_ item: Item) -> [Item] { [item] }
}

@StableNames
private distributed actor ShelfOfNothing: StableNamed {
    typealias ActorSystem = LatticeActorSystem
}

@Resolvable
@StableNames
protocol Readable: StableNamed where ActorSystem == LatticeActorSystem {
    distributed func read() async throws -> String
    distributed func pages() async throws -> Int
}

distributed actor Diary: Readable {
    typealias ActorSystem = LatticeActorSystem
    distributed func read() -> String { "dear diary" }
    distributed func pages() -> Int { 2 }
}
