import LatticeFaults
import LatticeTestSupport
import LatticeTransport
import Testing

/// Tests the effects of faults on a connection's owner that the conformance suite does not cover.
@Suite(.timeLimit(.minutes(10))) struct FaultyConnectionTests {
    @Test(
        "Split and stalled bytes arrive in order",
        arguments: 1...2 as ClosedRange<UInt64>,
        WriteStyle.allCases
    )
    func everythingArrives(seed: UInt64, style: WriteStyle) async throws {
        let bytes = pattern(100_000)
        let scope = FaultPlan.Scope(faults: 20, bytes: UInt64(bytes.count), kinds: [.split, .stall])
        try await withEnds(FaultPlan(seed: seed, scope)) { faulty, other in
            let there = Recorder()
            let pump = Pump(bytes, style: style, closesAtEnd: true)
            other.start(handler: there)
            pump.run(over: faulty)
            try await there.record.until { $0.closed == 1 }
            #expect(there.record.value.bytes == bytes)
            #expect(pump.progress.value.partialWrites > 0)
            #expect(pump.progress.value.failure == nil)
        }
        try await withEnds(FaultPlan(seed: seed, scope)) { faulty, other in
            let here = Recorder()
            faulty.start(handler: here)
            Pump(bytes, style: style, closesAtEnd: true).run(over: other)
            try await here.record.until { $0.closed == 1 }
            #expect(here.record.value.bytes == bytes)
            #expect(here.record.value.strayThread == 0)
        }
    }

    @Test("A write is cut at the planned place, and both ends are notified", arguments: [0, 1, 99, 100] as [UInt64])
    func aWriteIsTorn(place: UInt64) async throws {
        try await withEnds(FaultPlan([.writing(at: place, .cut)])) { faulty, other in
            let (here, there) = (Pump(pattern(101)), Recorder())
            other.start(handler: there)
            here.run(over: faulty)
            try await there.record.until { $0.closed == 1 }
            try await here.progress.until { $0.closed == 1 }
            #expect(there.record.value.bytes == Array(pattern(101)[..<Int(place)]))
            #expect(there.record.value.error == nil)
            #expect(here.progress.value.failure?.code == .closed)
        }
    }

    @Test("Reading ends at the planned place", arguments: [0, 1, 99, 100] as [UInt64])
    func readingIsCut(place: UInt64) async throws {
        try await withEnds(FaultPlan([.reading(at: place, .cut)])) { faulty, other in
            let (here, there) = (Recorder(), Recorder())
            faulty.start(handler: here)
            other.start(handler: there)
            _ = try other.write(pattern(101))
            try await here.record.until { $0.closed == 1 }
            try await there.record.until { $0.closed == 1 }
            #expect(here.record.value.bytes == Array(pattern(101)[..<Int(place)]))
            #expect(here.record.value.error == nil)
        }
    }

    @Test("Writes are refused while writing stalls, and room is reported once")
    func writesAreRefused() async throws {
        try await withEnds(FaultPlan([.writing(at: 2, .stall(.milliseconds(30)))])) { faulty, other in
            let (here, there) = (Recorder(), Recorder())
            faulty.start(handler: here)
            other.start(handler: there)
            #expect(try faulty.write([1, 2, 3]) == 2)
            try await here.record.until { $0.writable == 1 }
            #expect(try faulty.write([3]) == 0)
            #expect(try faulty.write([3]) == 0)
            try await here.record.until { $0.writable == 2 }
            #expect(try faulty.write([3]) == 1)
            try await there.record.until { $0.bytes.count == 3 }
            #expect(there.record.value.bytes == [1, 2, 3])
            #expect(here.record.value.writable == 2)
        }
    }

    @Test("After a close a write throws, and no room is reported, although writing stalls")
    func closedWhileStandingStill() async throws {
        let plan = FaultPlan([.writing(at: 0, .stall(.milliseconds(1)))])
        try await withEnds(plan) { faulty, other in
            let (here, there) = (Recorder(), Recorder())
            faulty.start(handler: here)
            other.start(handler: there)
            await faulty.eventLoop.endOfTick()
            let outcome = Watched<Result<Int, TransportError>?>(nil)
            faulty.eventLoop.execute {
                _ = try? faulty.write([1])
                faulty.close()
                let result = Result { () throws(TransportError) in try faulty.write([1]) }
                outcome.change { $0 = result }
            }
            try await outcome.until { $0 != nil }
            #expect(throws: TransportError.self) { try outcome.value?.get() }
            try await here.record.until { $0.closed == 1 }
            #expect(here.record.value.writable == 0)
            #expect(there.record.value.bytes.isEmpty)
        }
    }

    /// Two ends, the first of which has the faults.
    private func withEnds(
        _ plan: FaultPlan,
        _ body: (any Connection, any Connection) async throws -> Void
    ) async throws {
        try await Link.socketPair(.platformDefault).withEnds { first, second in
            try await body(FaultyConnection(first, plan), second)
        }
    }

    private func pattern(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) } }
}
