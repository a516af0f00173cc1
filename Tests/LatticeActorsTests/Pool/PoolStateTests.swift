import ByteTestSupport
import Testing

@testable import LatticeActors

/// Members are letters, and waiters numbers.
@Suite struct PoolStateTests {
    private typealias State = PoolState<String, Int>

    private static func state(_ members: [String], room: Int = 1, maximumWaiting: Int = 100) -> State {
        var state = State(room: room, maximumWaiting: maximumWaiting)
        _ = state.serve(members)
        return state
    }

    /// Adds a call. Returns the member that runs it, or nil if it waits.
    private static func take(_ state: inout State, _ number: Int, key: String? = nil) -> String? {
        if case .run(let member) = state.take(key: key.map { PoolKey($0) }, makeWaiter: { number }) {
            member
        } else {
            nil
        }
    }

    private static func end(_ state: inout State, _ member: String, key: String? = nil) -> [String] {
        state.end(key: key.map { PoolKey($0) }, at: member).map { "\($0.waiter)\($0.member)" }
    }

    @Test("Keys of different types are different keys, and equal values of one type are one key (F99)")
    func theTypeOfAKeyCounts() {
        let keys = [
            PoolKey(1), PoolKey(UInt8(1)), PoolKey(1.0), PoolKey(Optional(1)), PoolKey([1]), PoolKey([UInt8(1)]),
        ]
        #expect(Set(keys).count == keys.count)
        #expect(Set([PoolKey(1), PoolKey(1), PoolKey("é"), PoolKey("e\u{301}")]).count == 3)
    }

    @Test func callsGoWhereThereIsMostRoom() {
        var state = Self.state(["a", "b"], room: 2)
        let taken = (0..<4).map { Self.take(&state, $0) }
        #expect(taken == ["a", "b", "a", "b"])
        let fifth = Self.take(&state, 4)
        #expect(fifth == nil)
        #expect(Self.end(&state, "b") == ["4b"])
        #expect(Self.end(&state, "a") == [])
        let next = Self.take(&state, 5)
        #expect(next == "a")
    }

    @Test func theFirstThatWaitsGetsTheNextRoom() {
        var state = Self.state(["a"])
        let taken = (0..<4).map { Self.take(&state, $0) }
        #expect(taken == ["a", nil, nil, nil])
        for number in 1...3 { #expect(Self.end(&state, "a") == ["\(number)a"]) }
        #expect(Self.end(&state, "a") == [])
    }

    @Test func withoutMembersAllWaitUntilThereAreSome() {
        var state = Self.state([])
        let taken = (0..<3).map { Self.take(&state, $0) }
        #expect(taken == [nil, nil, nil])
        let assigned = state.serve(["a", "b"]).map { "\($0.waiter)\($0.member)" }
        #expect(assigned == ["0a", "1b"])
    }

    @Test func aMemberThatIsGoneTakesNothingMore() {
        var state = Self.state(["a", "b"])
        let taken = (0..<3).map { Self.take(&state, $0) }
        #expect(taken == ["a", "b", nil])
        state.leave("a")
        #expect(Self.end(&state, "a") == [])
        #expect(state.present == ["b"])
        #expect(Self.end(&state, "b") == ["2b"])
        // It may come back while something still runs there.
        state.leave("b")
        let waiting = Self.take(&state, 3)
        #expect(waiting == nil)
        _ = state.serve(["b"])
        #expect(Self.end(&state, "b") == ["3b"])
    }

    @Test func callsOfOneKeyRunOneAfterTheOther() {
        var state = Self.state(["a", "b", "c"])
        let taken = [Self.take(&state, 0, key: "x"), Self.take(&state, 1, key: "x"), Self.take(&state, 2, key: "x")]
        #expect(taken == ["a", nil, nil])
        // Others pass them, as these wait for something else.
        let others = [Self.take(&state, 3, key: "y"), Self.take(&state, 4)]
        #expect(others == ["b", "c"])
        #expect(Self.end(&state, "a", key: "x") == ["1a"])
        #expect(Self.end(&state, "b", key: "y") == [])
        #expect(Self.end(&state, "a", key: "x") == ["2b"] || state.waitingCount == 0)
    }

    @Test func noWaitingCallIsOvertaken() {
        var state = Self.state(["a"])
        let taken = [Self.take(&state, 0), Self.take(&state, 1), Self.take(&state, 2, key: "x")]
        #expect(taken == ["a", nil, nil])
        #expect(Self.end(&state, "a") == ["1a"])
        #expect(Self.end(&state, "a") == ["2a"])
    }

    @Test func aCallThatGivesUpIsForgotten() throws {
        var state = Self.state(["a"])
        _ = Self.take(&state, 0)
        guard case .wait(let id) = state.take(key: nil, makeWaiter: { 1 }) else {
            Issue.record("it did not wait")
            return
        }
        #expect(state.stopWaiting(id) == 1)
        let again = state.stopWaiting(id)
        #expect(again == nil)
        #expect(Self.end(&state, "a") == [])
    }

    @Test func waitingCallsAreBounded() {
        var state = Self.state([], maximumWaiting: 2)
        _ = (0..<2).map { Self.take(&state, $0) }
        guard case .refuse = state.take(key: nil, makeWaiter: { 3 }) else {
            Issue.record("it was not refused")
            return
        }
    }

    @Test func anEndedPoolAcceptsNothing() {
        var state = Self.state([])
        _ = (0..<2).map { Self.take(&state, $0) }
        #expect(state.close(ActorCallError(.refused, "it has ended", .notSent)) == [0, 1])
        // Members that are found too late change nothing.
        _ = state.serve(["a"])
        #expect(Self.refusal(&state) == "it has ended")
    }

    /// Why a call is not taken; nil: it is.
    private static func refusal(_ state: inout State) -> String? {
        if case .end(let reason) = state.take(key: nil, makeWaiter: { 3 }) { reason.message } else { nil }
    }

    @Test func afterALongDisconnectionThePoolAcceptsNothingUntilItKnowsItsMembers() {
        var state = Self.state(["a", "own"])
        state.loseConnection { $0 == "own" }
        #expect(state.present == ["own"])
        let taken = (0..<2).map { Self.take(&state, $0) }
        #expect(taken == ["own", nil])
        #expect(state.refuse(ActorCallError(.unknownProcess, "no connection", .notSent)) == [1])
        #expect(Self.refusal(&state) == "no connection")
        #expect(Self.end(&state, "own") == [])
        let assigned = state.serve(["a"])
        #expect(assigned.isEmpty)
        let again = Self.take(&state, 4)
        #expect(again == "a")
    }

    @Test func afterALongDisconnectionThePoolUsesItsOwnMembers() {
        var state = Self.state(["a", "own"])
        state.loseConnection { $0 == "own" }
        #expect(state.refuse(ActorCallError(.unknownProcess, "no connection", .notSent)) == [])
        let taken = Self.take(&state, 0)
        #expect(taken == "own")
        #expect(Self.refusal(&state) == "no connection")
        #expect(Self.end(&state, "own") == [])
        #expect(state.close(ActorCallError(.refused, "it has ended", .notSent)) == [])
        #expect(Self.refusal(&state) == "it has ended")
    }

    @Test func aMemberThatACallerHasGivenUpOnTakesNothingUntilItAnswers() {
        var state = Self.state(["a", "b"], room: 2)
        let taken = (0..<3).map { Self.take(&state, $0) }
        #expect(taken == ["a", "b", "a"])
        state.isOverdue(at: "a")
        #expect(state.silentCount == 1)
        let next = (3..<5).map { Self.take(&state, $0) }
        #expect(next == ["b", nil])
        // The member's other call is answered. The call that was given up still runs.
        #expect(Self.end(&state, "a") == ["4a"])
        #expect(state.silentCount == 0)
        let sixth = Self.take(&state, 5)
        #expect(sixth == nil)
        #expect(Self.end(&state, "a") == ["5a"])
    }

    @Test func aMemberThatLeftIsReportedOnce() {
        var state = Self.state(["a"])
        let before = state.takeHasLeft()
        state.leave("a")
        let first = state.takeHasLeft()
        let second = state.takeHasLeft()
        #expect(!before && first && !second)
    }

    @Test("Random calls never exceed a member's room, and calls of one key never overlap", arguments: 1...20)
    func laws(seed: Int) {
        var random = SplitMix(seed: UInt64(seed))
        var state = Self.state(["a", "b"], room: 2)
        var (running, number, served) = ([(member: String, key: String?)](), 0, Set(["a", "b"]))
        var keyOf: [Int: String?] = [:]
        func check() {
            for member in Set(running.map(\.member)) { #expect(running.count { $0.member == member } <= 2) }
            for key in ["x", "y"] { #expect(running.count { $0.key == key } <= 1) }
        }
        func add(_ assigned: [(waiter: Int, member: String)]) {
            for (waiter, member) in assigned { running.append((member, keyOf[waiter] ?? nil)) }
        }
        for _ in 0..<400 {
            switch random.below(4) {
            case 0, 1:
                let key: String? = [nil, nil, "x", "y"][random.below(4)]
                keyOf[number] = key
                if let member = Self.take(&state, number, key: key) { running.append((member, key)) }
                number += 1
            case 2 where !running.isEmpty:
                let ended = running.remove(at: random.below(running.count))
                add(state.end(key: ended.key.map { PoolKey($0) }, at: ended.member))
            default:
                served = Set(["a", "b", "c"].filter { _ in random.below(3) > 0 })
                // A member that comes back while it runs calls keeps their count.
                add(state.serve(served.sorted()))
            }
            check()
        }
        add(state.serve(["a", "b", "c"]))
        while !running.isEmpty {
            let ended = running.removeFirst()
            add(state.end(key: ended.key.map { PoolKey($0) }, at: ended.member))
            check()
        }
        #expect(state.waitingCount == 0)
    }
}
