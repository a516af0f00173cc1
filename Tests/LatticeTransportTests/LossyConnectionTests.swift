import LatticeTestSupport
import LatticeTransport
import Testing

/// Ordered bytes or a break, never a gap: what a connection makes of a link that loses messages.
@Suite(.timeLimit(.minutes(10))) struct LossyConnectionTests {
    private static let count: UInt64 = 300

    @Test(arguments: [(20, 0), (0, 20), (10, 10), (0, 0)], 1...6)
    func aLostMessageBreaksTheConnection(faults: (lost: Int, swapped: Int), seed: UInt64) async throws {
        let faults = LossyLink.Faults(lost: faults.lost, swapped: faults.swapped, seed: seed)
        let whole = (0..<Self.count).prefix { faults.fate(of: $0, to: 1) == .arrives }.map {
            UInt8(truncatingIfNeeded: $0)
        }
        try await withReactor { reactor in
            let (first, second) = MessageConnection.pair(eventLoop: reactor, faults: faults)
            let (here, there) = (Recorder(), Recorder())
            first.start(handler: here)
            second.start(handler: there)
            for number in 0..<Self.count {
                guard (try? first.write([UInt8(truncatingIfNeeded: number)])) != nil else { break }
            }
            if whole.count < Self.count {
                try await here.record.until { $0.closed == 1 }
                try await there.record.until { $0.closed == 1 }
                for error in [here.record.value.error, there.record.value.error] {
                    #expect(error?.message == "A message was lost on its way. Connect again.")
                }
            } else {
                try await there.record.until { $0.bytes.count == whole.count }
            }
            #expect(there.record.value.bytes == whole)
        }
    }

    @Test func aLargeWriteBecomesSeveralMessages() async throws {
        let bytes = pattern(5 << 20)
        try await withReactor { reactor in
            let (first, second) = MessageConnection.pair(eventLoop: reactor, capacity: 4 << 20)
            let there = Recorder()
            let pump = Pump(bytes, chunk: bytes.count, closesAtEnd: true)
            second.start(handler: there)
            pump.run(over: first)
            try await there.record.until { $0.closed == 1 }
            #expect(there.record.value.bytes == bytes)
            #expect(there.record.value.deliveries >= 5)
        }
    }

    @Test func pausingInsideADeliveryStopsDeliveries() async throws {
        try await withReactor { reactor in
            let (first, second) = MessageConnection.pair(eventLoop: reactor)
            let there = Recorder { connection, _ in connection.pauseReading() }
            second.start(handler: there)
            #expect(try first.write([1]) == 1)
            #expect(try first.write([2]) == 1)
            try await there.record.until { $0.bytes == [1] }
            for _ in 0..<3 { await reactor.endOfTick() }
            #expect(there.record.value.bytes == [1])
            second.resumeReading()
            try await there.record.until { $0.bytes == [1, 2] }
        }
    }

    @Test func itsPeerIsWhomTheRelayNames() async throws {
        try await withReactor { reactor in
            let (first, _) = MessageConnection.pair(eventLoop: reactor)
            guard case .relayed = first.peer else {
                Issue.record("\(first.peer)")
                return
            }
            #expect(first.peer.userID == nil)
        }
    }
}
