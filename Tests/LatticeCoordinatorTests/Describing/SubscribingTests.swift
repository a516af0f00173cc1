import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import Testing

@testable import LatticeControl
@testable import LatticeCoordinator

/// Subscriptions of tools and clients to the sections of a coordinator, over memory.
@Suite(.timeLimit(.minutes(10)))
struct SubscribingTests {
    @Test("A tool gets the page first, and then what has changed, until it releases the iterator")
    func follows() async throws {
        try await CoordinatorBench.with { bench in
            _ = try await bench.host("a")
            try await bench.withTool { tool in
                do {
                    var pages = tool.descriptions(of: "instances", every: .milliseconds(100)).makeAsyncIterator()
                    let first = try #require(try await pages.next())
                    #expect(first.rows.map { $0["instance"] } == ["a"] && first.keys == ["feature", "instance"])
                    _ = try await bench.host("b")
                    var page = first
                    while page.total < 2 { page = try #require(try await pages.next()) }
                    #expect(page.rows.map { $0["instance"] } == ["a", "b"] && page.section == "instances")
                    #expect(page.rows[0] == first.rows[0])
                    #expect(RowChange.changes(from: first, to: page) == [.new(page.rows[1])])
                    #expect(bench.clients.control.subscriptionCount == 1)
                    // It is no client, and other requests are answered meanwhile.
                    #expect(try await tool.describe("clients").total == 0)
                    #expect(try await tool.describe("coordinator").rows.first?["clients"] == 0)
                    withExtendedLifetime(pages) {}
                }
                try await poll { bench.clients.control.subscriptionCount == 0 }
                // The session continues, and its numbers are free again.
                for _ in 0..<20 {
                    var pages = tool.descriptions(of: "tools", every: .seconds(60)).makeAsyncIterator()
                    let page = try await pages.next()
                    #expect(page?.total == 1)
                }
            }
            let control = bench.clients.control
            try await poll { control.subscriptionCount == 0 && control.descriptionCount == 0 }
        }
    }

    @Test("A subscription ends with its session")
    func sessionEnds() async throws {
        try await CoordinatorBench.with { bench in
            let tool = try ControlClient(path: "memory", timeout: .seconds(60))
            let (near, far) = MemoryConnection.pair(eventLoop: bench.reactor)
            bench.clients.accept(far)
            try await tool.connect(over: near)
            var pages = tool.descriptions(of: "workers", every: .milliseconds(100)).makeAsyncIterator()
            _ = try await pages.next()
            tool.close()
            try await poll { bench.clients.control.subscriptionCount == 0 }
            await #expect(throws: ControlError.self) { while try await pages.next() != nil {} }
        }
    }

    @Test("What is not understood or not permitted ends a subscription with an error")
    func errors() async throws {
        let isPermitted = Watched(true)
        var configuration = CoordinatorConfiguration.patient
        configuration.controlPermission = { _ in isPermitted.value ? .act : .nothing("Not now.") }
        try await CoordinatorBench.with(configuration: configuration) { bench in
            try await bench.withTool { tool in
                func error(_ pages: SectionDescriptions) async -> ControlError? {
                    var pages = pages.makeAsyncIterator()
                    return await #expect(throws: ControlError.self) { while try await pages.next() != nil {} }
                }
                #expect(await error(tool.descriptions(of: "nothing"))?.code == .unknownSection)
                #expect(await error(tool.descriptions(of: "workers", sortedBy: "x"))?.code == .unknownSortKey)
                #expect(await error(tool.descriptions(of: "workers", containing: ""))?.code == .invalid)
                // The permission is asked for each description.
                var pages = tool.descriptions(of: "workers", every: .milliseconds(100)).makeAsyncIterator()
                _ = try await pages.next()
                isPermitted.change { $0 = false }
                let refused = await #expect(throws: ControlError.self) { while try await pages.next() != nil {} }
                #expect(refused?.code == .refused && refused?.message == "Not now.")
                #expect(bench.clients.control.subscriptionCount == 0)
            }
        }
    }

    @Test("A session has 8 subscriptions, and the next one gets an error")
    func tooMany() async throws {
        try await CoordinatorBench.with { bench in
            let end = try await connectRaw(bench)
            for number in 1...9 as ClosedRange<UInt64> {
                try end.write(DescribeMessage(request: number, section: "tools", intervalMilliseconds: 60_000))
            }
            let answers = try await descriptions(at: end) { $0.count == 9 }
            #expect(answers.filter { $0.code == .busy }.map(\.request) == [9])
            #expect(answers.filter { $0.update == 1 }.map(\.request).sorted() == Array(1...8))
            // One that ends has a last description, and another one has its place.
            try end.write(DescribeMessage(request: 5, intervalMilliseconds: 0))
            try end.write(DescribeMessage(request: 5, intervalMilliseconds: 0))
            _ = try await descriptions(at: end) { $0.last?.code == .ended }
            try end.write(DescribeMessage(request: 10, section: "tools", intervalMilliseconds: 60_000))
            let later = try await descriptions(at: end) { $0.count == 11 }
            #expect(Set(later.suffix(2).map { "\($0.request) \($0.code.rawValue)" }) == ["5 6", "10 0"])
            #expect(bench.clients.control.subscriptionCount == 8)
        }
    }

    @Test("A subscription that its tool ends without reading keeps its place until the tool has its last description")
    func endsWithoutRoom() async throws {
        try await CoordinatorBench.with { bench in
            // A page of them takes several chunks, so that the last descriptions have no room beside it.
            for number in 0..<400 { _ = try await bench.host(String(repeating: "i", count: 200) + "\(number)") }
            let control = bench.clients.control
            // This end is not started yet, so it does not read.
            let (near, far) = MemoryConnection.pair(eventLoop: bench.reactor, capacity: 4 * 1024)
            bench.clients.accept(far)
            var first: [UInt8] = []
            try Handshakes.hello(role: .tool, incarnation: 0, token: []).appendFrame(to: &first)
            try DescribeMessage(request: 1, section: "instances", limit: 400, intervalMilliseconds: 60_000)
                .appendFrame(to: &first)
            #expect(try first.withUnsafeBytes { try near.write($0) } == first.count)
            // From now on the session has a part of a page to write.
            try await poll { control.subscriptionCount == 1 && control.descriptionCount == 0 }
            var others: [UInt8] = []
            for number in 2...8 as ClosedRange<UInt64> {
                try DescribeMessage(request: number, section: "instances", intervalMilliseconds: 60_000)
                    .appendFrame(to: &others)
                try DescribeMessage(request: number, intervalMilliseconds: 0).appendFrame(to: &others)
            }
            for number in 9...10 as ClosedRange<UInt64> {
                try DescribeMessage(request: number, section: "tools", intervalMilliseconds: 60_000)
                    .appendFrame(to: &others)
            }
            #expect(try others.withUnsafeBytes { try near.write($0) } == others.count)
            try await poll { control.subscriptionCount == 8 && control.descriptionCount == 7 + 2 }
            // The page comes in several frames, which are not read here.
            let answers = try await descriptions(at: RawEnd(near)) { $0.count >= 7 + 2 }
            #expect(answers.filter { $0.code == .ended }.map(\.request).sorted() == Array(2...8))
            #expect(answers.filter { $0.code == .busy }.map(\.request).sorted() == [9, 10])
            try await poll { control.subscriptionCount == 1 && control.descriptionCount == 0 }
        }
    }

    @Test("Nothing is left of a subscription that its tool ends together with the session")
    func endsWithSession() async throws {
        try await CoordinatorBench.with { bench in
            let (near, far) = MemoryConnection.pair(eventLoop: bench.reactor)
            bench.clients.accept(far)
            var bytes: [UInt8] = []
            try Handshakes.hello(role: .tool, incarnation: 0, token: []).appendFrame(to: &bytes)
            try DescribeMessage(request: 1, section: "workers", intervalMilliseconds: 100).appendFrame(to: &bytes)
            try DescribeMessage(request: 1, intervalMilliseconds: 0).appendFrame(to: &bytes)
            #expect(try bytes.withUnsafeBytes { try near.write($0) } == bytes.count)
            let control = bench.clients.control
            bench.reactor.execute { near.close() }
            try await poll { control.subscriptionCount == 0 && control.descriptionCount == 0 }
        }
    }

    @Test("A number that a subscription has is a violation")
    func numberTwice() async throws {
        try await CoordinatorBench.with { bench in
            let end = try await connectRaw(bench)
            for _ in 0..<2 {
                try end.write(DescribeMessage(request: 1, section: "tools", intervalMilliseconds: 60_000))
            }
            let last = try await end.frames().last
            #expect(try last.map { try Goodbye(decoding: $0.body).code } == .violation)
            try await poll { bench.clients.control.subscriptionCount == 0 }
        }
    }

    @Test("For a tool that does not read, nothing more is built, and one description has all changes later")
    func slowReader() async throws {
        try await CoordinatorBench.with { bench in
            for number in 0..<100 { _ = try await bench.host(String(repeating: "i", count: 200) + "\(number)") }
            // This end is not started yet, so it does not read.
            let (near, far) = MemoryConnection.pair(eventLoop: bench.reactor, capacity: 4 * 1024)
            bench.clients.accept(far)
            var hello: [UInt8] = []
            try Handshakes.hello(role: .tool, incarnation: 0, token: []).appendFrame(to: &hello)
            try DescribeMessage(request: 1, section: "instances", intervalMilliseconds: 100, queueBytes: 0)
                .appendFrame(to: &hello)
            #expect(try hello.withUnsafeBytes { try near.write($0) } == hello.count)
            try await bench.withTool { other in
                let shown = other.descriptions(of: "instances", limit: 1_000, every: .milliseconds(100))
                var pages = shown.makeAsyncIterator()
                for number in 0..<14 {
                    _ = try await pages.next()
                    #expect(bench.clients.control.descriptionCount <= 1)
                    // Without a change there is no next page.
                    _ = try await bench.host("more\(number)")
                }
            }
            _ = try await bench.host("later")
            let end = RawEnd(near)
            let both = try await descriptions(at: end) { $0.count >= 2 }
            #expect(both[0].update == 1 && both[0].folded == nil && both[0].shown == 100)
            // A second is 10 intervals.
            #expect(both[1].update == 2 && both[1].folded ?? 0 >= 10)
        }
    }

    @Test("Over its budget, a subscription says how many intervals a description stands for")
    func foldedFrames() async throws {
        try await CoordinatorBench.with { bench in
            for number in 0..<4 { _ = try await bench.host("\(number)") }
            let end = try await connectRaw(bench)
            // The first page takes more than a tenth of a second of this budget.
            try end.write(
                DescribeMessage(
                    request: 1,
                    section: "instances",
                    intervalMilliseconds: 100,
                    bytesPerSecond: 1_024
                )
            )
            let first = try await descriptions(at: end) { $0.count >= 1 }
            #expect(first[0].folded == nil && first[0].shown == 4)
            _ = try await bench.host("later")
            let both = try await descriptions(at: end) { $0.count >= 2 }
            // At least a second later, which is 10 intervals, and the description belongs to the last of them.
            #expect(both[1].update == 2 && both[1].folded ?? 0 >= 9)
        }
    }

    @Test("Over its budget, a tool learns how many intervals a description stands for")
    func folds() async throws {
        try await CoordinatorBench.with { bench in
            for number in 0..<4 { _ = try await bench.host("\(number)") }
            try await bench.withTool { tool in
                let budget = DescriptionBudget(bytesPerSecond: 1_024)
                let pages = tool.descriptions(of: "instances", every: .milliseconds(100), within: budget)
                var iterator = pages.makeAsyncIterator()
                // A page that the tool takes late stands for the pages before it as well.
                var page = try #require(try await iterator.next())
                var intervals = page.folded + 1
                _ = try await bench.host("later")
                while page.total < 5 {
                    page = try #require(try await iterator.next())
                    intervals += page.folded + 1
                }
                // The first page takes more than a tenth of a second of the budget, so at least a second has passed.
                #expect(page.total == 5 && intervals >= 11)
            }
        }
    }

    @Test("The lag of a client is the number of view states that it has not been sent")
    func lag() async throws {
        try await CoordinatorBench.with { bench in
            bench.startWorker()
            let client = bench.makeClient(identity: 1)
            let channel = client.open(TestClient.Recorder(), instance: "a")
            try await client.connect()
            let outcome = await channel.send(.add(1)).finish()
            #expect(outcome == .finished)
            try await bench.withTool { tool in
                let instance = try #require(try await tool.describe("instances", sortedBy: "lag").rows.first)
                #expect(instance["lag"] == 0)
                let row = try #require(try await tool.describe("clients", sortedBy: "unwrittenBytes").rows.first)
                #expect(row["lag"] == 0 && row["unwrittenBytes"]?.int != nil)
            }
        }
    }

    // MARK: Helpers

    /// Connects a tool without a session of its own.
    private func connectRaw(_ bench: CoordinatorBench) async throws -> RawEnd {
        let (near, far) = MemoryConnection.pair(eventLoop: bench.reactor)
        bench.clients.accept(far)
        let end = RawEnd(near)
        try end.write(Handshakes.hello(role: .tool, incarnation: 0, token: []))
        _ = try await end.record.until { record in
            (try? WrittenFrame.all(in: record.bytes).contains { $0.kind == .welcome }) ?? false
        }
        return end
    }

    private func descriptions(
        at end: RawEnd,
        until condition: @escaping @Sendable ([DescriptionMessage]) -> Bool
    ) async throws -> [DescriptionMessage] {
        @Sendable func read(_ bytes: [UInt8]) -> [DescriptionMessage] {
            ((try? WrittenFrame.all(in: bytes)) ?? []).filter { $0.kind == .description }
                .compactMap { try? DescriptionMessage(decoding: $0.body) }
        }
        return read(try await end.record.until { condition(read($0.bytes)) }.bytes)
    }
}
