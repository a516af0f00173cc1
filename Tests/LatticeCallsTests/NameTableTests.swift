import Testing

@testable import LatticeCalls

@Suite struct NameTableTests {
    private typealias Table = NameTable<String>

    private static let (one, other) = (SessionID(number: 1), SessionID(number: 2))

    private static func entry(_ session: SessionID?, _ actor: UInt64 = 1, isClients: Bool = false) -> Table.Entry {
        Table.Entry(session: session, actor: actor, isClients: isClients)
    }

    @Test func eachSearchFindsTheNextOne() {
        var table = Table()
        for session in [nil, Self.one, Self.other] { #expect(table.publish("a", Self.entry(session)) == []) }
        let found = (0..<6).map { _ in table.find("a")?.session }
        #expect(found == [nil, Self.one, Self.other, nil, Self.one, Self.other])
        #expect(table.find("b") == nil)
    }

    @Test func equalEntriesAreServedOnce() {
        var table = Table()
        _ = table.publish("a", Self.entry(Self.one))
        _ = table.publish("a", Self.entry(Self.one))
        _ = table.withdraw("a", session: Self.one, actor: 1)
        #expect(table.find("a") == nil)
    }

    @Test func clientsAreFoundOnlyWithoutOthers() {
        var table = Table()
        _ = table.publish("a", Self.entry(Self.one, isClients: true))
        #expect(table.find("a")?.session == Self.one)
        _ = table.publish("a", Self.entry(Self.other))
        #expect((0..<3).allSatisfy { _ in table.find("a")?.session == Self.other })
        _ = table.remove(Self.other)
        #expect(table.find("a")?.session == Self.one)
    }

    @Test func aWaiterIsNotifiedOnce() throws {
        var table = Table()
        let waiting = table.wait(for: "a", "x")
        let first = try #require(waiting)
        _ = table.wait(for: "a", "y")
        _ = table.wait(for: "b", "z")
        #expect(table.stopWaiting(first) == "x" && table.stopWaiting(first) == nil)
        #expect(table.publish("a", Self.entry(nil)) == ["y"])
        #expect(table.publish("a", Self.entry(Self.one)) == [])
    }

    @Test func aWorkerThatStandsByIsFoundWhenItIsUsed() throws {
        var table = Table()
        table.keepInReserve(Self.one)
        _ = table.wait(for: "a", "x")
        #expect(table.publish("a", Self.entry(Self.one)) == [])
        #expect(table.find("a") == nil)
        #expect(table.use(Self.one) == ["x"])
        #expect(table.find("a")?.session == Self.one)
        #expect(table.use(Self.one) == [])
    }

    @Test func anObserverOfAllNamesIsNotifiedOfEachChange() throws {
        var table = Table()
        #expect(table.version(of: "a") == 0)
        let first = table.wait(for: "a", wantsAnyChange: true, "x")
        #expect(first != nil)
        #expect(table.publish("a", Self.entry(Self.one)) == ["x"])
        let version = table.version(of: "a")
        #expect(version > 0)
        _ = table.wait(for: "a", wantsAnyChange: true, "x")
        // A repeated entry changes nothing.
        #expect(table.publish("a", Self.entry(Self.one)) == [])
        #expect(table.publish("a", Self.entry(Self.other)) == ["x"])
        #expect(table.version(of: "a") > version)
        _ = table.wait(for: "a", wantsAnyChange: true, "x")
        _ = table.wait(for: "b", "y")
        #expect(table.remove(Self.one) == ["x"])
        _ = table.wait(for: "a", wantsAnyChange: true, "x")
        #expect(table.withdraw("a", session: Self.other, actor: 1) == ["x"])
        #expect(table.version(of: "a") == 0)
    }

    @Test func theEndOfASessionTakesItsNames() {
        var table = Table()
        for name in ["a", "b"] {
            for session in [Self.one, Self.other] { _ = table.publish(name, Self.entry(session)) }
        }
        _ = table.remove(Self.one)
        for name in ["a", "b"] { #expect(table.candidates(for: name).map(\.session) == [Self.other]) }
    }

    @Test func namesOfASessionAreBounded() {
        var table = Table()
        for number in 0..<CallLimits.maximumNames { #expect(table.publish("\(number)", Self.entry(Self.one)) == []) }
        #expect(table.publish("one more", Self.entry(Self.one)) == nil)
        #expect(table.publish("one more", Self.entry(Self.other)) == [])
        _ = table.withdraw("7", session: Self.one, actor: 1)
        #expect(table.publish("one more", Self.entry(Self.one)) == [])
    }

    @Test func waitersAreBounded() {
        var table = Table()
        let ids = (0..<CallLimits.maximumWaiters).map { table.wait(for: "\($0 % 7)", "x") }
        #expect(table.wait(for: "a", "y") == nil)
        if let id = ids[3] { _ = table.stopWaiting(id) }
        #expect(table.wait(for: "a", "y") != nil)
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
