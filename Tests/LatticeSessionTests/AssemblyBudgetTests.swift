import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import Testing

@Suite(.timeLimit(.minutes(10)))
struct AssemblyBudgetTests {
    /// The beginning of a message that is cut into chunks.
    private func chunks(_ count: Int, isLast: Bool = false) -> [UInt8] {
        var bytes: [UInt8] = []
        for index in 0..<count {
            let flags: FrameFlags = isLast && index == count - 1 ? [] : .more
            FrameHeader(length: 10_000, kind: .event, flags: flags, channel: 1).append(to: &bytes)
            bytes += [UInt8](repeating: 0, count: 10_000)
        }
        return bytes
    }

    private static func hasPong(_ bytes: [UInt8]) -> Bool {
        (try? WrittenFrame.all(in: bytes))?.contains { $0.kind == .pong } ?? false
    }

    private func with(
        _ budget: AssemblyBudget,
        _ count: Int,
        _ body: ([RawEnd], [SessionRecorder]) async throws -> Void
    ) async throws {
        try await withReactor { reactor in
            var (ends, recorders): ([RawEnd], [SessionRecorder]) = ([], [])
            for _ in 0..<count {
                let (near, far) = MemoryConnection.pair(eventLoop: reactor)
                let recorder = SessionRecorder(keepsBodies: false)
                Session(
                    over: near,
                    as: .acceptor(Handshakes.acceptance()),
                    assembly: budget,
                    handler: recorder
                ).start()
                let end = RawEnd(far)
                try end.write(Handshakes.hello())
                try await recorder.record.until { $0.peer != nil }
                ends.append(end)
                recorders.append(recorder)
            }
            try await body(ends, recorders)
        }
    }

    @Test("When unfinished messages together exceed the budget, the session that holds the most is ended (F83)")
    func theLargestIsEnded() async throws {
        let budget = AssemblyBudget(maximum: 90_000, free: 20_000)
        try await with(budget, 3) { ends, recorders in
            try ends[0].write(chunks(8))
            try ends[0].write(Ping(number: 1))
            _ = try await ends[0].record.until { Self.hasPong($0.bytes) }
            try ends[1].write(chunks(4))
            try ends[1].write(Ping(number: 1))
            _ = try await ends[1].record.until { Self.hasPong($0.bytes) }
            #expect(recorders.allSatisfy { $0.record.value.closed == 0 })
            // Together they exceed the budget, so the session that holds the most ends, whichever session asked.
            try ends[2].write(chunks(4))
            let closed = try await recorders[0].record.until { $0.closed == 1 }
            #expect(closed.error?.code == .overloaded)
            #expect(closed.error?.message.contains("80000") == true)
            // The others go on, and small messages always pass.
            try ends[1].write(chunks(1, isLast: true))
            try ends[2].write(chunks(1, isLast: true))
            for recorder in recorders[1...] { _ = try await recorder.record.until { $0.messages.count == 1 } }
            #expect(budget.counted == 0)
        }
    }

    @Test("Each session's free share is not counted, and a session that alone exceeds the budget is ended (F83)")
    func whatIsFreeIsNotCounted() async throws {
        let budget = AssemblyBudget(maximum: 50_000, free: 20_000)
        try await with(budget, 6) { ends, recorders in
            for end in ends[1...] { try end.write(chunks(2)) }
            try ends[0].write(chunks(12))
            #expect(try await recorders[0].record.until { $0.closed == 1 }.error?.code == .overloaded)
            for end in ends[1...] { try end.write(chunks(1, isLast: true)) }
            for recorder in recorders[1...] { _ = try await recorder.record.until { $0.messages.count == 1 } }
        }
    }

    @Test("A stranger cannot begin a large message before the handshake (F83)")
    func aStrangerHasNoRoom() async throws {
        try await withReactor { reactor in
            let (near, far) = MemoryConnection.pair(eventLoop: reactor)
            let recorder = SessionRecorder()
            Session(over: near, as: .acceptor(Handshakes.acceptance()), handler: recorder).start()
            let end = RawEnd(far)
            try end.write(chunks(1))
            let closed = try await recorder.record.until { $0.closed == 1 }
            #expect(closed.error?.cause as? WireError != nil)
        }
    }
}
