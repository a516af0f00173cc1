import LatticeWire
import Testing

@testable import LatticeCalls

@Suite struct NameTableTests {
    private static let (one, other) = (SessionID(number: 1), SessionID(number: 2))
    private static let watch = NameTable.Watch(session: SessionID(number: 9), number: 1)
    private static let own = NameTable.Watch(session: nil, number: 1)

    private static func entry(
        _ session: SessionID?,
        _ actor: UInt64 = 1,
        isClients: Bool = false
    ) -> NameTable.Entry {
        NameTable.Entry(session: session, actor: actor, isClients: isClients)
    }

    @Test func eachListBeginsWithTheNextOne() {
        var table = NameTable()
        for session in [nil, Self.one, Self.other] { #expect(table.publish("a", Self.entry(session)) == []) }
        let first = (0..<6).map { _ in table.list("a").first?.session }
        #expect(first == [nil, Self.one, Self.other, nil, Self.one, Self.other])
        #expect(Set(table.list("a").map(\.session)) == [nil, Self.one, Self.other])
        #expect(table.list("b") == [])
    }

    @Test func anActorTakesThePlaceOfAnotherOneOfItsNode() throws {
        var table = NameTable()
        try table.watch("a", as: Self.watch)
        _ = table.publish("a", Self.entry(Self.one, 1))
        #expect(table.publish("a", Self.entry(Self.one, 2)) == [Self.watch])
        #expect(table.list("a") == [Self.entry(Self.one, 2)])
        #expect(table.withdraw("a", session: Self.one) == [Self.watch])
        #expect(table.list("a") == [])
    }

    @Test func equalEntriesAreServedOnce() {
        var table = NameTable()
        _ = table.publish("a", Self.entry(Self.one))
        _ = table.publish("a", Self.entry(Self.one))
        _ = table.withdraw("a", session: Self.one)
        #expect(table.list("a") == [])
    }

    @Test func clientsAreListedOnlyWithoutOthers() {
        var table = NameTable()
        _ = table.publish("a", Self.entry(Self.one, isClients: true))
        #expect(table.list("a").map(\.session) == [Self.one])
        _ = table.publish("a", Self.entry(Self.other))
        #expect(table.list("a").map(\.session) == [Self.other])
        _ = table.remove(Self.other)
        #expect(table.list("a").map(\.session) == [Self.one])
    }

    @Test func allPublishedActorsAreKnownAlsoThoseThatAreNotListed() {
        var table = NameTable()
        let spare = SessionID(number: 3)
        table.keepInReserve(spare)
        _ = table.publish("a", Self.entry(Self.one, 5, isClients: true))
        _ = table.publish("a", Self.entry(spare))
        #expect(table.published.map(\.isFound) == [true, false])
        _ = table.publish("a", Self.entry(Self.other))
        #expect(table.published.map(\.isFound) == [false, false, true])
        #expect(table.published.map(\.entry.actor) == [5, 1, 1] && Set(table.published.map(\.name)) == ["a"])
    }

    @Test func aWatchIsDueWithEachChangeOfTheListedActors() throws {
        var table = NameTable()
        try table.watch("a", as: Self.watch)
        #expect(table.name(of: Self.watch) == "a")
        #expect(table.publish("a", Self.entry(Self.one)) == [Self.watch])
        // A repeated entry changes nothing, and a client's is not listed beside a worker's.
        #expect(table.publish("a", Self.entry(Self.one)) == [])
        #expect(table.publish("a", Self.entry(SessionID(number: 3), isClients: true)) == [])
        #expect(table.publish("b", Self.entry(Self.one)) == [])
        #expect(table.publish("a", Self.entry(Self.other)) == [Self.watch])
        #expect(table.remove(Self.one) == [Self.watch])
        #expect(table.withdraw("a", session: Self.other) == [Self.watch])
        try table.unwatch(Self.watch)
        #expect(table.name(of: Self.watch) == nil)
        #expect(table.publish("a", Self.entry(Self.one)) == [])
    }

    @Test func aWorkerThatStandsByIsListedWhenItIsUsed() throws {
        var table = NameTable()
        table.keepInReserve(Self.one)
        try table.watch("a", as: Self.own)
        #expect(table.publish("a", Self.entry(Self.one)) == [])
        #expect(table.list("a") == [])
        #expect(table.use(Self.one) == [Self.own])
        #expect(table.list("a").map(\.session) == [Self.one])
        #expect(table.use(Self.one) == [])
    }

    @Test func aWorkerThatEndsWhileItStandsByChangesNothing() throws {
        var table = NameTable()
        table.keepInReserve(Self.one)
        try table.watch("a", as: Self.own)
        _ = table.publish("a", Self.entry(Self.one))
        #expect(table.remove(Self.one) == [])
        #expect(table.list("a") == [])
    }

    @Test func theEndOfASessionTakesItsNamesAndItsWatches() throws {
        var table = NameTable()
        for name in ["a", "b"] {
            for session in [Self.one, Self.other] { _ = table.publish(name, Self.entry(session)) }
        }
        try table.watch("a", as: Self.watch)
        try table.watch("b", as: Self.own)
        let session = try #require(Self.watch.session)
        table.unwatchAll(of: session)
        #expect(table.remove(Self.one) == [Self.own])
        for name in ["a", "b"] { #expect(table.list(name).map(\.session) == [Self.other]) }
    }

    @Test func namesOfASessionAreBounded() {
        var table = NameTable()
        for number in 0..<CallLimits.maximumNames { #expect(table.publish("\(number)", Self.entry(Self.one)) == []) }
        #expect(table.publish("one more", Self.entry(Self.one)) == nil)
        #expect(table.publish("one more", Self.entry(Self.other)) == [])
        _ = table.withdraw("7", session: Self.one)
        #expect(table.publish("one more", Self.entry(Self.one)) == [])
    }

    @Test func watchesOfASessionAreBounded() throws {
        var table = NameTable()
        func watch(_ number: Int, of session: SessionID) throws {
            try table.watch("\(number % 7)", as: .init(session: session, number: UInt64(number)))
        }
        let maximum = CallLimits.maximumWatches
        for number in 1...maximum { try watch(number, of: Self.one) }
        let error = #expect(throws: WireError.self) { try watch(maximum + 1, of: Self.one) }
        #expect(error?.code == .tooLarge)
        try watch(1, of: Self.other)
        try table.unwatch(.init(session: Self.one, number: 3))
        try watch(maximum + 1, of: Self.one)
    }

    @Test func numbersOfWatchesGrowAndAreKnown() throws {
        var table = NameTable()
        try table.watch("a", as: .init(session: Self.one, number: 5))
        for number: UInt64 in [0, 4, 5] {
            let error = #expect(throws: WireError.self) {
                try table.watch("a", as: .init(session: Self.one, number: number))
            }
            #expect(error?.code == .outOfOrder)
        }
        // The end of a watch that has ended or was refused changes nothing, that of an unknown one is a violation.
        try table.unwatch(.init(session: Self.one, number: 4))
        for watch in [NameTable.Watch(session: Self.one, number: 6), NameTable.Watch(session: Self.other, number: 1)] {
            #expect(throws: WireError.self) { try table.unwatch(watch) }
        }
    }
}

@Suite struct EndTableTests {
    @Test func theEndOfAnActorIsReportedToEachWaiterOnce() throws {
        var table = EndTable<String>()
        let waiting = table.wait(for: 1, "x")
        let first = try #require(waiting)
        _ = table.wait(for: 1, "y")
        _ = table.wait(for: 2, "z")
        #expect(table.stopWaiting(first) == "x" && table.stopWaiting(first) == nil)
        #expect(table.ended(1) == ["y"] && table.ended(1) == [])
        #expect(table.ended(2) == ["z"])
    }

    @Test func waitersAreBounded() {
        var table = EndTable<Int>()
        for number in 0..<CallLimits.maximumWaiters { #expect(table.wait(for: UInt64(number % 5), number) != nil) }
        #expect(table.wait(for: 9, 0) == nil)
        #expect(table.ended(0).count > 3_000)
        #expect(table.wait(for: 9, 0) != nil)
    }
}
