import LatticeCalls
import Testing

@testable import LatticeActors

@Suite struct OneWayRoomTests {
    private static func id(_ number: UInt64) -> LatticeActorID {
        LatticeActorID(node: NodeID(1), number: number, name: nil, incarnation: 0, process: "test")
    }

    private static func take(_ room: inout OneWayRoom<String>, _ actor: UInt64, _ waiter: String) -> String {
        read(room.take(id(actor), waiter))
    }

    private static func read(_ step: OneWayRoom<String>.Step) -> String {
        switch step {
        case .go: "go"
        case .wait: "wait"
        case .refuse: "refuse"
        }
    }

    @Test func whoeverWaitsGetsThePlacesInOrder() {
        var room = OneWayRoom<String>(maximum: 2, maximumWaiting: 10)
        let steps = ["a", "b", "c", "d"].map { Self.take(&room, 1, $0) }
        #expect(steps == ["go", "go", "wait", "wait"])
        let other = Self.take(&room, 2, "e")
        #expect(other == "go")
        let next = [room.end(Self.id(1)), room.end(Self.id(1))]
        #expect(next == ["c", "d"])
        let behind = Self.take(&room, 1, "f")
        #expect(behind == "wait")
        // More ends than there were calls mean nothing.
        let rest = (0..<4).map { _ in room.end(Self.id(1)) }
        #expect(rest == ["f", nil, nil, nil])
        let anew = Self.take(&room, 1, "g")
        #expect(anew == "go")
    }

    @Test func whoeverStopsWaitingHasNoPlace() {
        var room = OneWayRoom<String>(maximum: 1, maximumWaiting: 10)
        _ = room.take(Self.id(1), "a")
        guard case .wait(let b) = room.take(Self.id(1), "b"), case .wait = room.take(Self.id(1), "c") else {
            Issue.record("another step")
            return
        }
        let waited = [room.stopWaiting(b), room.stopWaiting(b)]
        #expect(waited == [true, false])
        let next = room.end(Self.id(1))
        #expect(next == "c")
    }

    @Test func noMoreWaitThanMay() {
        var room = OneWayRoom<String>(maximum: 1, maximumWaiting: 1)
        let steps = [(1, "a"), (2, "b"), (1, "c"), (2, "d")].map { Self.take(&room, $0, $1) }
        #expect(steps == ["go", "go", "wait", "refuse"])
        let next = room.end(Self.id(1))
        #expect(next == "c")
        let again = Self.take(&room, 2, "e")
        #expect(again == "wait")
    }
}
