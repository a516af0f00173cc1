import LatticeCoding
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

/// Tools that act on a coordinator, over memory. The ends of real workers are tested in EndToEndTests.
@Suite(.timeLimit(.minutes(10)))
struct OperatingTests {
    @Test("An event of a client is cancelled by its ID, and its sender gets the outcome")
    func cancel() async throws {
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
                let event = try #require(try await tool.describe("events").rows.first?["event"]?.string)
                let result = try await tool.operate("cancel", ["event": .text(event), "reason": "too slow"])
                #expect(result.rows == [["event": .text(event)]])
                let cancellation = await running.finish().cancellation
                #expect(cancellation?.stage == .whileRunning && cancellation?.reason == "too slow")
                let name = if case .tool(let name)? = cancellation?.canceller { name } else { "" }
                #expect(name.contains("\(ProcessIdentity.own)"), "\(String(describing: cancellation))")
                let again = await #expect(throws: ControlError.self) {
                    try await tool.operate("cancel", ["event": .text(event)])
                }
                #expect(again?.code == .notPossible)
                let other = event.split(separator: "/").dropLast().joined(separator: "/") + "/99"
                let unknown = await #expect(throws: ControlError.self) {
                    try await tool.operate("cancel", ["event": .text(other)])
                }
                #expect(unknown?.code == .notFound)
            }
            Gates.open(gate)
        }
    }

    @Test("An event that continues after its client has left is described and cancelled")
    func cancelLeftBehind() async throws {
        try await CoordinatorBench.with { bench in
            bench.startWorker()
            let untyped = try UntypedFeature("journal", instance: "a", path: "memory", reactor: bench.reactor)
            let (near, far) = MemoryConnection.pair(eventLoop: bench.reactor)
            bench.clients.accept(far)
            try await untyped.open(over: near, within: .seconds(60))
            let gate = Gates.makeName()
            let wait = DescriptionValue.map(["wait": ["_0": 1, "gate": .text(gate)]])
            #expect(try await untyped.send(wait, waitingAtMost: .milliseconds(1)) == nil)
            try await Gates.untilArrived(gate)
            untyped.close()
            try await poll { bench.clients.known.isEmpty && bench.clients.connected.isEmpty }
            try await bench.withTool { tool in
                let row = try #require(try await tool.describe("events").rows.first)
                #expect(row["phase"] == "running" && row["processID"] == .null)
                let event = try #require(row["event"])
                #expect(try await tool.operate("cancel", ["event": event]).rows == [["event": event]])
                try await poll { try await tool.describe("events").rows.isEmpty }
            }
            Gates.open(gate)
        }
    }

    static let wrong: [(act: String, arguments: [String: DescriptionValue], code: ControlError.Code)] = [
        ("fly", [:], .unsupported), ("restart", [:], .invalid), ("restart", ["target": 7], .invalid),
        ("restart", ["target": ""], .invalid), ("restart", ["target": "none"], .notFound),
        ("restart", ["target": "none", "force": true], .invalid),
        ("drain", ["target": "none", "timeoutMilliseconds": 3_600_001], .invalid),
        ("drain", ["target": "none", "timeoutMilliseconds": -1], .invalid),
        ("cancel", ["event": "no event"], .invalid), ("cancel", [:], .invalid),
        ("cancel", ["event": "journal/00000000000000000000000000000001/1/1"], .notFound),
        ("retry", ["id": "one"], .invalid), ("retry", ["id": 1], .notFound), ("drop", ["id": 1], .notFound),
        ("", [:], .invalid), (String(repeating: "a", count: 65), [:], .invalid),
        ("restart", ["target": .text(String(repeating: "t", count: 5000))], .invalid),
    ]

    @Test("What is not understood or does not exist is answered with a code and a sentence, and changes nothing")
    func errors() async throws {
        try await CoordinatorBench.with { bench in
            try await bench.withTool { tool in
                for (act, arguments, code) in Self.wrong {
                    let error = await #expect(throws: ControlError.self) { try await tool.operate(act, arguments) }
                    #expect(error?.code == code, "\(act) \(arguments)")
                    #expect(error?.message.hasSuffix(".") == true)
                }
                // The session continues.
                let tools = try await tool.describe("tools")
                #expect(tools.total == 1)
            }
        }
    }

    static let permissions: [(permission: ControlPermission, looks: Bool, acts: Bool)] = [
        (.act, true, true), (.look("Ask Ada."), true, false), (.nothing("Ask Ada."), false, false),
    ]

    @Test("The program decides what a tool may do, and each act is reported with who asked", arguments: permissions)
    func permission(permission: ControlPermission, looks: Bool, acts: Bool) async throws {
        let (asked, reported) = (Watched<[ControlRequester]>([]), Watched<[RuntimeEvent]>([]))
        var configuration = CoordinatorConfiguration.patient
        configuration.controlPermission = { process in
            asked.change { $0.append(process) }
            return permission
        }
        configuration.observers = [
            RuntimeObserver(of: [.operationBegan, .operationEnded]) { event in reported.change { $0.append(event) } }
        ]
        try await CoordinatorBench.with(configuration: configuration) { bench in
            try await bench.withTool { tool in
                if looks {
                    #expect(try await tool.describe("tools").total == 1)
                } else {
                    let error = await #expect(throws: ControlError.self) { try await tool.describe("tools") }
                    #expect(error?.code == .refused && error?.message == "Ask Ada.")
                }
                let error = await #expect(throws: ControlError.self) { try await tool.operate("drop", ["id": 5]) }
                #expect(error?.code == (acts ? .notFound : .refused))
                if !acts { #expect(error?.message == "Ask Ada.") }
                let process = try #require(asked.value.last)
                #expect(process.isTool && process.processID != nil && process.program?.hasPrefix("/") == true)
                let operation = RuntimeEvent.Operation(
                    act: "drop",
                    arguments: "id 5",
                    processID: process.processID,
                    userID: process.userID,
                    program: process.program
                )
                let end = RuntimeEvent.operationEnded(operation, result: error?.message ?? "", isDone: false)
                #expect(reported.value == (acts ? [.operationBegan(operation), end] : [end]))
            }
        }
    }

    @Test("Refused acts are reported once at first, and then together")
    func burst() async throws {
        let reported = Watched<[RuntimeEvent]>([])
        var configuration = CoordinatorConfiguration.patient
        configuration.controlPermission = { _ in .look("Ask Ada.") }
        configuration.observers = [
            RuntimeObserver(of: [.operationEnded]) { event in reported.change { $0.append(event) } }
        ]
        try await CoordinatorBench.with(configuration: configuration) { bench in
            try await bench.withTool { tool in
                for _ in 0..<20 {
                    await #expect(throws: ControlError.self) { try await tool.operate("drop", ["id": 5]) }
                }
                try await poll { Self.refusals(in: reported.value) == 20 }
                // On a busy machine the refusals can be several bursts.
                #expect(reported.value.count < 20)
            }
        }
    }

    /// The number of refusals that events report.
    private static func refusals(in events: [RuntimeEvent]) -> Int {
        events.reduce(0) { sum, event in
            guard case .operationEnded(_, let result, isDone: false) = event else { return sum }
            return sum + (result.hasSuffix("since then.") ? Int(result.prefix { $0 != " " }) ?? 0 : 1)
        }
    }

    @Test("A client may not act, and garbage ends only the session that sent it")
    func roles() async throws {
        try await CoordinatorBench.with { bench in
            for (role, arguments, code) in [
                (Role.client, [0xa0], OperationCode.refused), (.tool, [0x80], .invalid), (.tool, [0xff], .invalid),
            ] as [(Role, [UInt8], OperationCode)] {
                let (near, far) = MemoryConnection.pair(eventLoop: bench.reactor)
                bench.clients.accept(far)
                let end = RawEnd(near)
                try end.write(Handshakes.hello(role: role, incarnation: 0, token: []))
                try end.write(OperateMessage(request: 7, act: "drop", arguments: arguments))
                let bytes = try await end.record.until { record in
                    (try? WrittenFrame.all(in: record.bytes).contains { $0.kind == .operated }) ?? false
                }.bytes
                let frame = try #require(try WrittenFrame.all(in: bytes).last)
                let answer = try OperatedMessage(decoding: frame.body)
                #expect(answer.request == 7 && answer.code == code && answer.rows.isEmpty)
            }
            let (near, far) = MemoryConnection.pair(eventLoop: bench.reactor)
            bench.clients.accept(far)
            let end = RawEnd(near)
            try end.write(Handshakes.hello(role: .tool, incarnation: 0, token: []))
            try end.write([0, 0, 0, 1, 0, 11, 0, 0, 0, 0, 0, 0, 0xa0] as [UInt8])
            #expect(try await end.frames().last?.kind == .goodbye)
        }
    }
}
