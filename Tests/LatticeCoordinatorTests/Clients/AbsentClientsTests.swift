import Testing

@testable import LatticeCoordinator

struct AbsentClientsTests {
    private static let now = ContinuousClock.now

    private static func absent(_ clients: [(id: Character, process: Int32?)]) -> [AbsentClients<Character>.Absence] {
        // The first one is away longest.
        clients.enumerated().map { .init(id: $1.id, process: $1.process, since: now + .seconds($0)) }
    }

    @Test(
        "The absent client to forget is the longest absent one of the process with the most absent clients (F84)",
        arguments: [
            ([("a", 1), ("b", 2), ("c", 3)], nil),
            ([("a", 1), ("b", 2), ("c", 3), ("d", 4)], "a"),
            ([("a", 1), ("b", 2), ("c", 2), ("d", 3)], "b"),
            ([("a", 1), ("b", 2), ("c", 3), ("d", 2), ("e", 2)], "b"),
            ([("a", nil), ("b", 2), ("c", nil), ("d", 3)], "a"),
            ([("a", 1), ("b", nil), ("c", nil), ("d", 3)], "b"),
        ] as [([(Character, Int32?)], Character?)]
    )
    func whoLeaves(clients: [(Character, Int32?)], leaving: Character?) {
        #expect(AbsentClients(limit: 3).clientToForget(of: Self.absent(clients)) == leaving)
    }

    @Test("A process that connects a thousand times under new names costs other absent clients nothing (F84)")
    func reconnecting() {
        var absent = Self.absent([("a", 1), ("b", 2)])
        for count in 0..<1000 {
            absent.append(.init(id: "x", process: 9, since: Self.now + .seconds(10 + count)))
            if let leaving = AbsentClients(limit: 10).clientToForget(of: absent),
                let index = absent.firstIndex(where: { $0.id == leaving })
            {
                absent.remove(at: index)
            }
        }
        #expect(absent.map(\.id) == Array("abxxxxxxxx"))
    }
}
