import LatticeActors
import LatticeCalls
import LatticeSession
import LatticeTestSupport
import LatticeWire
import Testing

/// Answers that a caller has still to read.
@Suite(.timeLimit(.minutes(10))) struct UnreadAnswersTests {
    @Test(
        "A caller that reads at once gets 600 answers of 1 MiB, and no session ends",
        arguments: [Way.coordinatorToWorker, .clientToWorker]
    )
    func manyLargeAnswers(way: Way) async throws {
        try await way.with { _, remote, _ in
            let sizes = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<600 { group.addTask { try await remote.large(1 << 20).count } }
                return try await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
            }
            #expect(sizes == [1 << 20: 600])
            #expect(try await remote.add(1, to: 2) == 3)
        }
    }

    @Test("A client that does not read its answers does not block other clients, and gets all answers later")
    func anotherCaller() async throws {
        try await ActorNet.with([.client, .client, .worker], isFirstApart: true) { net in
            let notes = Watched<[String]>([])
            net.net.hub.onNote { note in notes.change { $0.append(note) } }
            let desk = try net.systems[3].host("desk") { Desk(actorSystem: $0) }
            let ofFirst = try await net.systems[1].resolve(Desk.self, named: "desk", within: .seconds(100))
            let ofSecond = try await net.systems[2].resolve(Desk.self, named: "desk", within: .seconds(100))
            let count = 100
            let sizes = try await withThrowingTaskGroup(of: Int.self) { group in
                let loop = net.net.leaves[0].session.eventLoop
                let gate = Gates.makeName()
                for _ in 0..<count {
                    group.addTask { try await ofFirst.large(1 << 20, at: gate).count }
                }
                try await Gates.untilArrived(gate, count: count)
                try await withHeld(loop) {
                    Gates.open(gate)
                    try await notes.until { !$0.isEmpty }
                    for number in 0..<20 { #expect(try await ofSecond.add(number, to: 1) == number + 1) }
                }
                return try await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
            }
            #expect(sizes == [1 << 20: count])
            #expect(notes.value.count == 1)
            #expect(notes.value.first?.contains("more than 67108864 bytes of answers to read") == true)
            withExtendedLifetime(desk) {}
        }
    }
}
