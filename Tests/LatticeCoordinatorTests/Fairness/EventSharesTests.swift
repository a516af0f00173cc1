import LatticeCore
import LatticeSession
import Testing

@testable import LatticeCoordinator

struct EventSharesTests {
    /// A worker that acknowledges when it is told to.
    private struct Sharing {
        var shares: EventShares<String>
        /// What was sent on, in order.
        private(set) var sent: [String] = []
        private var slots: [Character: Int] = [:]
        private(set) var places: [String: UInt64] = [:]

        init(_ change: (inout ShareLimits) -> Void = { _ in }) {
            var limits = ShareLimits()
            limits.eventsPerClient = 8
            limits.events = 16
            limits.guaranteedEvents = 1
            limits.bytes = 1000
            limits.guaranteedBytes = 10
            limits.ahead = 2
            limits.aheadBytes = 100
            change(&limits)
            shares = EventShares(limits: limits)
        }

        /// By the first letter of its events.
        mutating func slot(of event: String) -> Int {
            let client = event.first ?? " "
            if let slot = slots[client] { return slot }
            let slot = shares.join()
            slots[client] = slot
            return slot
        }

        @discardableResult
        mutating func take(_ event: String, bytes: Int = 1) -> EventShares<String>.Taking {
            let slot = slot(of: event)
            let taking = shares.take(event, bytes: bytes, of: slot)
            switch taking {
            case .send: send(event, bytes)
            case .wait(let place): places[event] = place
            case .reject: break
            }
            return taking
        }

        private mutating func send(_ event: String, _ bytes: Int) {
            sent.append(event)
            shares.sent(slot(of: event), bytes: bytes, as: UInt64(sent.count))
        }

        mutating func take(_ events: [String]) {
            for event in events { take(event) }
        }

        /// All events have one byte.
        mutating func acknowledge(through count: Int) {
            shares.acknowledge(through: UInt64(count))
            while let event = shares.next() { send(event, 1) }
        }

        mutating func end(_ client: Character, count: Int = 1) {
            for _ in 0..<count { shares.ended(slot(of: String(client))) }
        }

        /// How many events of a client are taken before one is not.
        mutating func fill(_ client: Character) -> Int {
            var count = 0
            while EventSharesTests.reason(take(String(client))) == nil { count += 1 }
            return count
        }

        mutating func open(_ client: Character) -> Int { shares.open(of: slot(of: String(client))) }
    }

    private static func reason(_ taking: EventShares<String>.Taking) -> String? {
        if case .reject(let reason) = taking { reason } else { nil }
    }

    // MARK: A share

    @Test("F83: a client has at most its share, gets another event in with each that ends, and costs others nothing")
    func aShare() {
        var sharing = Sharing()
        #expect(sharing.fill("a") == 8)
        #expect(
            Self.reason(sharing.take("a"))
                == "8 events of this client have not ended, and one client has no more; wait for some of them to end"
        )
        #expect(sharing.take("b") == .send)
        sharing.acknowledge(through: 100)
        #expect(Self.reason(sharing.take("a")) != nil)
        sharing.end("a")
        #expect(sharing.fill("a") == 1)
    }

    @Test("F83: however many clients take what they can get, there is something left for the next one")
    func somethingIsLeft() {
        var sharing = Sharing()
        #expect("abcdefg".map { sharing.fill($0) } == [8, 4, 2, 1, 1, 1, 1])
        #expect(
            Self.reason(sharing.take("c")) == "18 events of all clients have not ended, 2 of them of this one, which"
                + " gets no more than are left; wait for some of them to end"
        )
        // By turns it is equal.
        sharing = Sharing()
        for _ in 0..<20 { for client in "abc" { sharing.take(String(client)) } }
        #expect("abc".map { sharing.open($0) }.allSatisfy { 4...5 ~= $0 })
    }

    @Test("of bytes a client has no more than are left, and a little in any case, until they are acknowledged")
    func bytes() {
        var sharing = Sharing()
        #expect(sharing.take("a1", bytes: 500) == .send)
        #expect(
            Self.reason(sharing.take("a2", bytes: 1))
                == "events of 500 bytes of all clients wait to be acknowledged, 500"
                + " of them of this one, which gets no more than are left; wait for some of them to end"
        )
        #expect(sharing.take("b1", bytes: 250) == .wait(place: 1))
        #expect(sharing.take("c1", bytes: 251) != .wait(place: 2))
        #expect(sharing.take("c1", bytes: 10) == .wait(place: 2))
        sharing.acknowledge(through: 1)
        #expect(sharing.sent.prefix(2) == ["a1", "b1"])
        #expect(Self.reason(sharing.take("a2", bytes: 500)) == nil)
    }

    @Test("the defaults leave room: for the largest action, for each of 2,048 clients, and for the program itself")
    func defaults() {
        let (limits, channel) = (ShareLimits(), ChannelLimits())
        let clients = 2 * DescriptorBudget.maximumClients
        #expect(limits.bytes == 2 * channel.maximumEventBytes)
        #expect(limits.events + limits.guaranteedEvents * clients == 57_344)
        #expect(channel.maximumRunning - 57_344 == 8_192)
        #expect(limits.eventsPerClient == channel.maximumRunning / 4)
        #expect(ShareLimits.maximumPerClient == 24_576)
    }

    // MARK: Turns

    @Test("where little is on its way an event goes straight through")
    func straightThrough() {
        var sharing = Sharing()
        for count in 1...100 {
            #expect(sharing.take("a") == .send)
            sharing.acknowledge(through: count)
            sharing.end("a")
        }
    }

    @Test("F84: who floods has so many events ahead, and others go past the rest; then clients take turns")
    func turns() {
        var sharing = Sharing()
        sharing.take(["a1", "a2", "a3", "a4", "a5", "b1", "b2", "b3", "b4", "c1"])
        #expect(sharing.sent == ["a1", "a2", "b1", "b2", "c1"])
        sharing.acknowledge(through: 2)
        #expect(sharing.sent.dropFirst(5) == ["a3", "a4"])
        sharing.acknowledge(through: 7)
        #expect(sharing.sent.dropFirst(7) == ["b3", "a5", "b4"])
    }

    @Test("F84: beside another client fewer are ahead, until that has sent none of the newest events")
    func besideOthers() {
        var sharing = Sharing {
            $0.ahead = 3
            $0.aheadBesideOthers = 1
            $0.newestEvents = 4
        }
        sharing.take(["a1", "a2", "a3", "a4", "b1", "b2"])
        #expect(sharing.sent == ["a1", "a2", "a3", "b1"])
        // One of each, as b sent one of the newest four.
        sharing.acknowledge(through: 4)
        #expect(sharing.sent.dropFirst(4) == ["a4", "b2"])
        sharing.acknowledge(through: 6)
        sharing.end("a", count: 4)
        sharing.end("b", count: 2)
        sharing.take(["a5", "a6"])
        #expect(sharing.sent.dropFirst(6) == ["a5"])
        // With a7 and a8 the newest four are its own.
        sharing.take(["a7", "a8"])
        sharing.acknowledge(through: 7)
        #expect(sharing.sent.dropFirst(7) == ["a6", "a7", "a8"])
    }

    @Test("an event that could be sent waits behind those of its client that wait")
    func order() {
        var sharing = Sharing { $0.aheadBytes = 2 }
        sharing.take(["a1", "b1", "a2"])
        // Acknowledged, and nobody has asked for the next.
        sharing.shares.acknowledge(through: 1)
        #expect(sharing.take("a3") == .wait(place: 2))
        #expect(sharing.take("c1") == .wait(place: 3))
        sharing.acknowledge(through: 2)
        sharing.acknowledge(through: 4)
        #expect(sharing.sent == ["a1", "b1", "a2", "c1", "a3"])
    }

    @Test("of large events few are on their way at a time, and one that is larger than all of them goes alone")
    func largeEvents() {
        var sharing = Sharing()
        #expect(sharing.take("a1", bytes: 60) == .send)
        #expect(sharing.take("b1", bytes: 60) == .wait(place: 1))
        // Not past it.
        #expect(sharing.take("c1", bytes: 1) == .wait(place: 2))
        sharing.shares.acknowledge(through: 1)
        #expect(sharing.shares.next() == "b1")
        #expect(sharing.shares.next() == "c1")
        #expect(sharing.shares.next() == nil)
        sharing = Sharing()
        #expect(sharing.take("a1", bytes: 400) == .send)
        #expect(sharing.take("b1", bytes: 1) == .wait(place: 1))
        sharing.acknowledge(through: 1)
        #expect(sharing.sent == ["a1", "b1"])
    }

    @Test("an event that is withdrawn while it waits is never sent, and those that were leave nothing behind")
    func withdrawn() throws {
        var sharing = Sharing { ($0.eventsPerClient, $0.events) = (1000, 10_000) }
        let names = (1...500).map { "a\($0)" }
        sharing.take(names)
        for name in names.dropFirst(2) where name.last != "7" {
            let place = try #require(sharing.places[name])
            sharing.shares.withdraw(place, of: sharing.slot(of: "a"))
            // Twice is once.
            sharing.shares.withdraw(place, of: sharing.slot(of: "a"))
            sharing.end("a")
        }
        let rest = names.dropFirst(2).filter { $0.last == "7" }
        #expect(sharing.shares.waiting == rest)
        for count in 1...100 { sharing.acknowledge(through: count) }
        #expect(sharing.sent == ["a1", "a2"] + rest)
    }

    @Test("what the worker's channel does not take gives its place to the next")
    func notTaken() {
        var sharing = Sharing()
        sharing.take(["a1", "a2", "a3", "a4"])
        sharing.shares.acknowledge(through: 2)
        #expect(sharing.shares.next() == "a3")
        #expect(sharing.shares.next() == "a4")
        sharing.take(["a5"])
        #expect(sharing.shares.next() == nil)
        sharing.shares.sent(sharing.slot(of: "a"), bytes: 1, as: nil)
        #expect(sharing.shares.next() == "a5")
    }

    // MARK: Those who are gone

    @Test("clients that are gone share what one may have; beyond that those are cancelled that are gone longest")
    func lost() {
        var sharing = Sharing { ($0.eventsPerClient, $0.events) = (8, 100) }
        for client in "abcd" {
            for _ in 0..<3 { sharing.take(String(client)) }
        }
        let slots = "abcd".map { sharing.slot(of: String($0)) }
        #expect(sharing.shares.lose(slots[0]) == [])
        #expect(sharing.shares.lose(slots[1]) == [])
        // Nobody is lost twice.
        #expect(sharing.shares.lose(slots[1]) == [])
        #expect(sharing.shares.lose(slots[2]) == [slots[0]])
        sharing.end("a", count: 3)
        sharing.end("b", count: 3)
        #expect(sharing.shares.lose(slots[3]) == [])
        // Who comes back has what it had.
        sharing.shares.find(slots[2])
        #expect(sharing.fill("c") == 5)
        sharing.shares.find(slots[3])
        for _ in 0..<5 { sharing.take("d") }
        #expect(sharing.shares.lose(slots[2]) == [])
        #expect(sharing.shares.lose(slots[3]) == [slots[2]])
    }

    @Test("those who are gone take no more than the room of those who are there")
    func lostInAFullHouse() {
        var sharing = Sharing()
        for client in "abcdefg" { _ = sharing.fill(client) }
        #expect(sharing.shares.open == 18)
        #expect(sharing.shares.lose(sharing.slot(of: "g")) == [sharing.slot(of: "g")])
        sharing.end("a", count: 4)
        #expect(sharing.shares.lose(sharing.slot(of: "f")) == [])
    }

    @Test("a client that had nothing leaves nothing, and its place is taken again")
    func leaving() {
        var shares = EventShares<Int>()
        let (first, second) = (shares.join(), shares.join())
        #expect(first != second)
        #expect(shares.lose(first) == [])
        shares.leave(first)
        #expect(shares.join() == first)
    }

    // MARK: Anything

    @Test("F84: an event that waits costs the same, however many of its client wait already", .timeLimit(.minutes(1)))
    func manyWait() {
        let count = 200_000
        var sharing = Sharing { ($0.eventsPerClient, $0.events, $0.bytes) = (count, 2 * count, 2 * count) }
        for _ in 0..<count { sharing.take("a") }
        #expect(sharing.open("a") == count)
        for number in 1...count { sharing.acknowledge(through: number) }
        #expect(sharing.sent.count == count)
    }

    @Test("whatever happens: each client's order, its bound ahead, and nothing is left", arguments: 0..<20)
    func atRandom(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var sharing = Sharing { ($0.eventsPerClient, $0.events) = (30, 100) }
        var taken: [Character: [String]] = [:]
        var acknowledged = 0
        for number in 0..<2000 {
            let client = "abcde".randomElement(using: &generator) ?? "a"
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<6:
                let name = "\(client)\(number)"
                if Self.reason(sharing.take(name)) == nil { taken[client, default: []].append(name) }
            default:
                let next = Int.random(in: acknowledged...sharing.sent.count, using: &generator)
                for event in sharing.sent[acknowledged..<next] { sharing.end(event.first ?? "a") }
                acknowledged = next
                sharing.acknowledge(through: acknowledged)
            }
            let ahead = Dictionary(grouping: sharing.sent[acknowledged...], by: \.first)
            #expect(ahead.values.allSatisfy { $0.count <= 2 })
        }
        while acknowledged < sharing.sent.count {
            for event in sharing.sent[acknowledged...] { sharing.end(event.first ?? "a") }
            acknowledged = sharing.sent.count
            sharing.acknowledge(through: acknowledged)
        }
        for (client, names) in taken { #expect(sharing.sent.filter { $0.first == client } == names) }
        #expect(sharing.shares.open == 0)
    }
}
