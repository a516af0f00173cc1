import LatticeCore
import LatticeSession
import Testing

@testable import LatticeCoordinator

struct EventSharesTests {
    /// The shares of clients, with a worker that acknowledges on request.
    private struct Sharing {
        var shares: EventShares<String>
        /// The events that were sent to the worker, in order.
        private(set) var sent: [String] = []
        private var slots: [Character: Int] = [:]
        private(set) var places: [String: UInt64] = [:]

        init(_ change: (inout ShareLimits) -> Void = { _ in }) {
            var limits = ShareLimits()
            limits.maximumEventsPerClient = 8
            limits.maximumEvents = 16
            limits.guaranteedEvents = 1
            limits.maximumBytes = 1000
            limits.guaranteedBytes = 10
            limits.maximumInFlight = 2
            limits.maximumInFlightBytes = 100
            change(&limits)
            shares = EventShares(limits: limits)
        }

        /// Returns the slot of the client that is named by the first letter of its events.
        mutating func slot(of event: String) -> Int {
            let client = event.first ?? " "
            if let slot = slots[client] { return slot }
            let slot = shares.join()
            slots[client] = slot
            return slot
        }

        @discardableResult
        mutating func take(_ event: String, bytes: Int = 1) -> EventShares<String>.Admission {
            let slot = slot(of: event)
            let taking = shares.admit(event, bytes: bytes, of: slot)
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

        /// Adds events of a client until one is refused, and returns the number of accepted ones.
        mutating func fill(_ client: Character) -> Int {
            var count = 0
            while EventSharesTests.reason(take(String(client))) == nil { count += 1 }
            return count
        }

        mutating func open(_ client: Character) -> Int { shares.open(of: slot(of: String(client))) }
    }

    private static func reason(_ taking: EventShares<String>.Admission) -> String? {
        if case .reject(let reason) = taking { reason } else { nil }
    }

    // MARK: A share

    @Test("A client has at most its share, can send one more event for each that ends, and costs others nothing (F83)")
    func aShare() {
        var sharing = Sharing()
        #expect(sharing.fill("a") == 8)
        #expect(
            Self.reason(sharing.take("a"))
                == "8 events of this client have not ended, the maximum for one client. Wait until some of them end."
        )
        #expect(sharing.take("b") == .send)
        sharing.acknowledge(through: 100)
        #expect(Self.reason(sharing.take("a")) != nil)
        sharing.end("a")
        #expect(sharing.fill("a") == 1)
    }

    @Test("Some share is left for the next client, however many clients use all that they can get (F83)")
    func somethingIsLeft() {
        var sharing = Sharing()
        #expect("abcdefg".map { sharing.fill($0) } == [8, 4, 2, 1, 1, 1, 1])
        #expect(
            Self.reason(sharing.take("c")) == "18 events of all clients have not ended, 2 of them from this client. A"
                + " client can have at most as many events as are left. Wait until some of them end."
        )
        // By turns it is equal.
        sharing = Sharing()
        for _ in 0..<20 { for client in "abc" { sharing.take(String(client)) } }
        #expect("abc".map { sharing.open($0) }.allSatisfy { 4...5 ~= $0 })
    }

    @Test(
        "A client's unacknowledged bytes are bounded by the bytes that are left, and a small amount is always allowed"
    )
    func bytes() {
        var sharing = Sharing()
        #expect(sharing.take("a1", bytes: 500) == .send)
        #expect(
            Self.reason(sharing.take("a2", bytes: 1))
                == "500 bytes of events of all clients wait to be acknowledged, 500 of"
                + " them from this client. A client can have at most as many bytes as are left. Wait until some of the"
                + " events end."
        )
        #expect(sharing.take("b1", bytes: 250) == .wait(place: 1))
        #expect(sharing.take("c1", bytes: 251) != .wait(place: 2))
        #expect(sharing.take("c1", bytes: 10) == .wait(place: 2))
        sharing.acknowledge(through: 1)
        #expect(sharing.sent.prefix(2) == ["a1", "b1"])
        #expect(Self.reason(sharing.take("a2", bytes: 500)) == nil)
    }

    @Test("The defaults leave room for the largest action, for 2,048 clients and for the program itself")
    func defaults() {
        let (limits, channel) = (ShareLimits(), ChannelLimits())
        let clients = 2 * DescriptorBudget.maximumClients
        #expect(limits.maximumBytes == 2 * channel.maximumEventBytes)
        #expect(limits.maximumEvents + limits.guaranteedEvents * clients == 57_344)
        #expect(channel.maximumRunning - 57_344 == 8_192)
        #expect(limits.maximumEventsPerClient == channel.maximumRunning / 4)
        #expect(ShareLimits.maximumPerClient == 24_576)
    }

    // MARK: Turns

    @Test("An event is sent at once while few events are in flight")
    func straightThrough() {
        var sharing = Sharing()
        for count in 1...100 {
            #expect(sharing.take("a") == .send)
            sharing.acknowledge(through: count)
            sharing.end("a")
        }
    }

    @Test("A flooding client has a bounded number of events in flight, and clients take turns for the rest (F84)")
    func turns() {
        var sharing = Sharing()
        sharing.take(["a1", "a2", "a3", "a4", "a5", "b1", "b2", "b3", "b4", "c1"])
        #expect(sharing.sent == ["a1", "a2", "b1", "b2", "c1"])
        sharing.acknowledge(through: 2)
        #expect(sharing.sent.dropFirst(5) == ["a3", "a4"])
        sharing.acknowledge(through: 7)
        #expect(sharing.sent.dropFirst(7) == ["b3", "a5", "b4"])
    }

    @Test("A client has fewer events in flight while another client sent one of the newest events (F84)")
    func besideOthers() {
        var sharing = Sharing {
            $0.maximumInFlight = 3
            $0.maximumInFlightUnderContention = 1
            $0.contentionWindow = 4
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

    @Test("An event waits behind earlier events of its client, even if it could be sent")
    func order() {
        var sharing = Sharing { $0.maximumInFlightBytes = 2 }
        sharing.take(["a1", "b1", "a2"])
        // The event is acknowledged, but the next one was not taken yet.
        sharing.shares.acknowledge(through: 1)
        #expect(sharing.take("a3") == .wait(place: 2))
        #expect(sharing.take("c1") == .wait(place: 3))
        sharing.acknowledge(through: 2)
        sharing.acknowledge(through: 4)
        #expect(sharing.sent == ["a1", "b1", "a2", "c1", "a3"])
    }

    @Test("Few large events are in flight at a time, and an event above the byte limit is sent alone")
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

    @Test("An event that is withdrawn while it waits is never sent, and leaves nothing behind")
    func withdrawn() throws {
        var sharing = Sharing { ($0.maximumEventsPerClient, $0.maximumEvents) = (1000, 10_000) }
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

    @Test("An event that the worker's channel does not accept gives its place to the next one")
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

    @Test("Disconnected clients together have one client's share, and beyond it the longest absent one is cancelled")
    func lost() {
        var sharing = Sharing { ($0.maximumEventsPerClient, $0.maximumEvents) = (8, 100) }
        for client in "abcd" {
            for _ in 0..<3 { sharing.take(String(client)) }
        }
        let slots = "abcd".map { sharing.slot(of: String($0)) }
        #expect(sharing.shares.markGone(slots[0]) == [])
        #expect(sharing.shares.markGone(slots[1]) == [])
        // Marking a client as gone again has no effect.
        #expect(sharing.shares.markGone(slots[1]) == [])
        #expect(sharing.shares.markGone(slots[2]) == [slots[0]])
        sharing.end("a", count: 3)
        sharing.end("b", count: 3)
        #expect(sharing.shares.markGone(slots[3]) == [])
        // A client that comes back keeps its events.
        sharing.shares.markPresent(slots[2])
        #expect(sharing.fill("c") == 5)
        sharing.shares.markPresent(slots[3])
        for _ in 0..<5 { sharing.take("d") }
        #expect(sharing.shares.markGone(slots[2]) == [])
        #expect(sharing.shares.markGone(slots[3]) == [slots[2]])
    }

    @Test("Disconnected clients take no room that connected clients need")
    func lostInAFullHouse() {
        var sharing = Sharing()
        for client in "abcdefg" { _ = sharing.fill(client) }
        #expect(sharing.shares.open == 18)
        #expect(sharing.shares.markGone(sharing.slot(of: "g")) == [sharing.slot(of: "g")])
        sharing.end("a", count: 4)
        #expect(sharing.shares.markGone(sharing.slot(of: "f")) == [])
    }

    @Test("A client without events leaves nothing behind, and its slot is used again")
    func leaving() {
        var shares = EventShares<Int>()
        let (first, second) = (shares.join(), shares.join())
        #expect(first != second)
        #expect(shares.markGone(first) == [])
        shares.leave(first)
        #expect(shares.join() == first)
    }

    // MARK: Anything

    @Test(
        "The cost of a waiting event does not grow with the number of waiting events of its client (F84)",
        .timeLimit(.minutes(1))
    )
    func manyWait() {
        let count = 200_000
        var sharing = Sharing {
            ($0.maximumEventsPerClient, $0.maximumEvents, $0.maximumBytes) = (count, 2 * count, 2 * count)
        }
        for _ in 0..<count { sharing.take("a") }
        #expect(sharing.open("a") == count)
        for number in 1...count { sharing.acknowledge(through: number) }
        #expect(sharing.sent.count == count)
    }

    @Test("Random events keep each client's order and limit in flight, and leave nothing behind", arguments: 0..<20)
    func atRandom(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var sharing = Sharing { ($0.maximumEventsPerClient, $0.maximumEvents) = (30, 100) }
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
