import Dispatch
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

/// A coordinator that tools and clients look into, over memory.
@Suite(.timeLimit(.minutes(10)))
struct DescribingTests {
    @Test("A tool sees instances, clients and running events, and is none of them")
    func sections() async throws {
        try await CoordinatorBench.with { bench in
            bench.startWorker()
            let client = bench.makeClient(identity: 1)
            let recorder = TestClient.Recorder()
            let channel = client.open(recorder, instance: "a")
            try await client.connect()
            try await recorder.record.until { $0.opened == 1 }
            let gate = Gates.makeName()
            let running = channel.send(.wait(1, gate: gate))
            try await Gates.untilArrived(gate)
            try await bench.withTool { tool in
                let instances = try await tool.describe("instances")
                #expect(instances.total == 1 && instances.cut == nil)
                let instance = try #require(instances.rows.first)
                #expect(instance["feature"] == "journal" && instance["instance"] == "a")
                #expect(instance["running"] == 1 && instance["waiting"] == 0 && instance["subscribers"] == 1)
                // The state that contains the event has arrived, or does soon.
                try await poll {
                    let instance = try await tool.describe("instances", sortedBy: "stateBytes").rows.first
                    return instance?["stateBytes"]?.int ?? 0 > 0 && instance?["revision"]?.int ?? 0 > 0
                }
                let event = try #require(try await tool.describe("events").rows.first)
                #expect(event["phase"] == "running" && event["client"]?.string == client.name)
                #expect(event["event"]?.string?.contains(client.name) == true)
                #expect(event["deadlineMilliseconds"] == .null)
                let clients = try await tool.describe("clients")
                #expect(clients.total == 1)
                #expect(clients.rows.first?["open"] == [["feature": "journal", "instance": "a", "lag": 0]])
                #expect(clients.rows.first?["running"] == 1)
                let coordinator = try #require(try await tool.describe("coordinator").rows.first)
                #expect(coordinator["clients"] == 1 && coordinator["tools"] == 1 && coordinator["instances"] == 1)
                #expect(bench.clients.connected.count == 1)
                #expect(try await tool.describe("tools").total == 1)
            }
            Gates.open(gate)
            #expect(await running.finish() == .finished)
            try await poll { bench.clients.tools.isEmpty }
        }
    }

    @Test("The list of sections names each section with the number of its rows, and each of them answers")
    func overview() async throws {
        try await CoordinatorBench.with { bench in
            try await bench.withTool { tool in
                let all = try await tool.describe()
                let names = all.rows.compactMap { $0["section"]?.string }
                #expect(
                    names == [
                        "coordinator", "workers", "groups", "terminations", "instances", "events", "actors", "calls",
                        "clients", "tools", "quarantine", "log",
                    ]
                )
                for row in all.rows {
                    let name = try #require(row["section"]?.string)
                    #expect(try await tool.describe(name).total == row["rows"]?.int)
                    for key in row["sortKeys"]?.elements ?? [] {
                        _ = try await tool.describe(name, sortedBy: key.string)
                    }
                }
            }
        }
    }

    @Test("A client may ask as well")
    func client() async throws {
        try await CoordinatorBench.with { bench in
            let (end, _) = try await connectRaw(bench, role: .client)
            try end.write(DescribeMessage(request: 7, section: "clients"))
            let answer = try await answers(at: end, count: 1).first
            #expect(answer?.request == 7 && answer?.total == 1)
        }
    }

    @Test("A client sees the log only if clients may see the output of workers", arguments: [true, false])
    func logOfClients(isShared: Bool) async throws {
        var configuration = CoordinatorConfiguration.patient
        configuration.sharesCrashReports = isShared
        try await CoordinatorBench.with(configuration: configuration) { bench in
            let (end, _) = try await connectRaw(bench, role: .client)
            try end.write(DescribeMessage(request: 1, section: "log"))
            let answer = try await answers(at: end, count: 1).first
            #expect(answer?.code == (isShared ? .described : .unknownSection))
        }
    }

    @Test("What is not understood, and what is not permitted, is answered with a code and a sentence")
    func errors() async throws {
        var configuration = CoordinatorConfiguration.patient
        configuration.controlPermission = { process in
            process.isTool ? .act : .nothing("Only tools may look into this coordinator.")
        }
        try await CoordinatorBench.with(configuration: configuration) { bench in
            try await bench.withTool { tool in
                let unknown = await #expect(throws: ControlError.self) { try await tool.describe("nothing") }
                #expect(unknown?.code == .unknownSection)
                let key = await #expect(throws: ControlError.self) { try await tool.describe("workers", sortedBy: "x") }
                #expect(key?.code == .unknownSortKey)
                let long = await #expect(throws: ControlError.self) {
                    try await tool.describe(String(repeating: "x", count: 65))
                }
                #expect(long?.code == .invalid)
                // The session continues.
                let workers = try await tool.describe("workers")
                #expect(workers.total == 0)
            }
            let (end, _) = try await connectRaw(bench, role: .client)
            try end.write(DescribeMessage(request: 1, section: "clients"))
            let refused = try await answers(at: end, count: 1).first
            #expect(refused?.code == .refused)
            #expect(refused?.reason == "Only tools may look into this coordinator.")
        }
    }

    @Test("While a description is built, the event loop serves clients")
    func offTheLoop() async throws {
        let (asked, gate) = (Watched(false), DispatchSemaphore(value: 0))
        var configuration = CoordinatorConfiguration.patient
        configuration.controlPermission = { _ in
            asked.change { $0 = true }
            gate.wait()
            return .act
        }
        try await CoordinatorBench.with(configuration: configuration) { bench in
            bench.startWorker()
            let client = bench.makeClient(identity: 1)
            let channel = client.open(TestClient.Recorder())
            try await client.connect()
            try await bench.withTool { tool in
                async let page = tool.describe("clients")
                try await asked.until { $0 }
                let outcome = await channel.send(.add(1)).finish()
                #expect(outcome == .finished)
                gate.signal()
                let total = try await page.total
                #expect(total == 1)
            }
        }
    }

    @Test("A tool takes no place of a client, and 8 tools have a place")
    func places() async throws {
        #expect(DescriptorBudget.maximumTools == 8)
        try await CoordinatorBench.with(maximumClients: 1) { bench in
            try await bench.makeClient(identity: 1).connect()
            var tools: [RawEnd] = []
            for _ in 0..<8 { tools.append(try await connectRaw(bench, role: .tool).0) }
            let (near, far) = MemoryConnection.pair(eventLoop: bench.reactor)
            bench.clients.accept(far)
            let oneTooMany = RawEnd(near)
            try oneTooMany.write(Handshakes.hello(role: .tool, incarnation: 0, token: []))
            let refusal = try await oneTooMany.frames().last
            #expect(refusal?.kind == .refuse)
            #expect(bench.clients.places.tools == 8 && bench.clients.places.clients == 1)
            try tools[0].write(Goodbye(code: .normal, reason: ""))
            try await poll { bench.clients.places.tools == 7 }
            _ = try await connectRaw(bench, role: .tool)
            withExtendedLifetime(tools) {}
        }
    }

    @Test("A tool opens no features")
    func opens() async throws {
        try await CoordinatorBench.with { bench in
            bench.startWorker()
            let (end, greeting) = try await connectRaw(bench, role: .tool)
            try end.write(Open(feature: "journal", schema: 1), on: 1)
            let bytes = try await end.record.until { $0.bytes.count > greeting }.bytes
            let frame = try #require(try WrittenFrame.all(in: bytes).last)
            #expect(frame.kind == .openRefused)
            #expect(try OpenRefused(decoding: frame.body).code == .role)
            #expect(bench.registry.hosts.isEmpty)
        }
    }

    static let garbage: [(name: String, bytes: [UInt8])] = [
        ("no map", [0, 0, 0, 1, 0, 9, 0, 0, 0, 0, 0, 0, 0x01]),
        ("no request", [0, 0, 0, 1, 0, 9, 0, 0, 0, 0, 0, 0, 0xa0]),
        ("a description", [0, 0, 0, 1, 0, 10, 0, 0, 0, 0, 0, 0, 0xa0]),
    ]

    @Test("Garbage ends only the session that sent it", arguments: garbage)
    func violations(name: String, bytes: [UInt8]) async throws {
        try await CoordinatorBench.with { bench in
            try await bench.withTool { tool in
                let (end, _) = try await connectRaw(bench, role: .tool)
                try end.write(bytes)
                let last = try await end.frames().last
                #expect(last?.kind == .goodbye)
                #expect(try last.map { try Goodbye(decoding: $0.body).code } == .violation)
                #expect(try await tool.describe("tools").total == 1)
            }
        }
    }

    @Test("A tool that asks again and again and does not read is ended, with at most 4 requests in memory")
    func flood() async throws {
        try await CoordinatorBench.with { bench in
            // Rows that make an answer larger than what the connection holds.
            for number in 0..<200 { _ = try await bench.host(String(repeating: "i", count: 200) + "\(number)") }
            // This end is never started, so it does not read.
            let (near, far) = MemoryConnection.pair(eventLoop: bench.reactor, capacity: 16 * 1024)
            bench.clients.accept(far)
            try await write(Handshakes.hello(role: .tool, incarnation: 0, token: []), to: near)
            try await poll { bench.clients.tools.count == 1 }
            try await bench.withTool { other in
                let flood = Task {
                    for number in 1... {
                        let request = DescribeMessage(request: UInt64(number), section: "instances", limit: .max)
                        try await write(request, to: near)
                    }
                }
                defer { flood.cancel() }
                while bench.clients.tools.count == 2 {
                    #expect(bench.clients.control.descriptionCount <= 5)
                    // The other tool gets its answers meanwhile.
                    let page = try await other.describe("instances", limit: 1)
                    #expect(page.total == 200)
                }
                // Writing fails, because the coordinator has closed the connection.
                await #expect(throws: TransportError.self) { try await flood.value }
                #expect(bench.clients.control.descriptionCount == 0)
            }
        }
    }

    @Test("4 requests at once are answered")
    func atOnce() async throws {
        try await CoordinatorBench.with { bench in
            try await bench.withTool { tool in
                let pages = try await withThrowingTaskGroup(of: SectionDescription.self) { group in
                    for section in ["clients", "tools", "workers", "instances"] {
                        group.addTask { try await tool.describe(section) }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(Set(pages.map(\.section)) == ["clients", "tools", "workers", "instances"])
            }
        }
    }

    // MARK: Helpers

    /// Connects without a session of its own.
    ///
    /// - Returns: The end, and the number of bytes of the welcome.
    private func connectRaw(_ bench: CoordinatorBench, role: Role) async throws -> (RawEnd, greeting: Int) {
        let (near, far) = MemoryConnection.pair(eventLoop: bench.reactor)
        bench.clients.accept(far)
        let end = RawEnd(near)
        try end.write(Handshakes.hello(role: role, incarnation: 0, token: []))
        let count = try await end.record.until { record in
            (try? WrittenFrame.all(in: record.bytes).contains { $0.kind == .welcome }) ?? false
        }.bytes.count
        return (end, count)
    }

    /// Writes a message, as soon as the connection has room for it.
    private func write(_ message: some WireMessageBody, to connection: any Connection) async throws {
        var bytes: [UInt8] = []
        try message.appendFrame(to: &bytes)
        try await poll {
            bytes.removeFirst(try bytes.withUnsafeBytes { try connection.write($0) })
            return bytes.isEmpty
        }
    }

    private func answers(at end: RawEnd, count: Int) async throws -> [DescriptionMessage] {
        @Sendable func read(_ bytes: [UInt8]) -> [DescriptionMessage] {
            ((try? WrittenFrame.all(in: bytes)) ?? []).filter { $0.kind == .description }
                .compactMap { try? DescriptionMessage(decoding: $0.body) }
        }
        return read(try await end.record.until { read($0.bytes).count >= count }.bytes)
    }
}
