import LatticeFaults
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import Testing

/// Tests sessions over connections with faults.
@Suite(.timeLimit(.minutes(10))) struct FaultySessionTests {
    @Test("Split and late bytes change nothing (F32, F33)", arguments: 1...3 as ClosedRange<UInt64>)
    func everyMessageArrives(seed: UInt64) async throws {
        let scope = FaultPlan.Scope(faults: 30, bytes: 60_000, kinds: [.split, .stall])
        try await withSessions(FaultPlan(seed: seed, scope)) { initiator, accepted, acceptor, initiated in
            for number in 1...200 as ClosedRange<UInt64> {
                // Some messages are large enough to be split into chunks.
                let size = number.isMultiple(of: 50) ? 100_000 : 40
                let action = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: size)
                for session in [initiator, acceptor] { session.send { $0.addEvent(number, action: action, on: 1) } }
            }
            for recorder in [accepted, initiated] {
                let record = try await recorder.record.until { $0.messages.count == 200 }
                let events = try record.messages.map { try EventMessage(decoding: $0.body) }
                #expect(events.map(\.event) == Array(1...200))
                #expect(events.allSatisfy { Set($0.action) == [UInt8(truncatingIfNeeded: $0.event)] })
            }
        }
    }

    @Test(
        "Wherever the connection breaks, both sides are notified once (F41)",
        arguments: ConnectionFault.Direction.allCases
    )
    func bothSidesHearOfTheEnd(direction: ConnectionFault.Direction) async throws {
        for place in stride(from: 0, to: 400, by: 11) as StrideTo<UInt64> {
            let plan = FaultPlan([.connection(ConnectionFault(direction, at: place, .cut))])
            try await withSessions(plan, isOpen: false) { initiator, accepted, acceptor, initiated in
                // Messages before the end of the handshake are not sent.
                for recorder in [accepted, initiated] {
                    try await recorder.record.until { $0.peer != nil || $0.closed > 0 }
                }
                for number in 1...100 as ClosedRange<UInt64> {
                    for session in [initiator, acceptor] { session.send { $0.addEvent(number, action: [1], on: 1) } }
                }
                for recorder in [accepted, initiated] { try await recorder.record.until { $0.closed > 0 } }
                for recorder in [accepted, initiated] {
                    #expect(recorder.record.value.closed == 1)
                    let numbers = try recorder.record.value.messages.map { try EventMessage(decoding: $0.body).event }
                    #expect(numbers == Array(Array(1...100).prefix(numbers.count)))
                }
            }
        }
    }

    /// Two ends of a session, the first with faults.
    private func withSessions(
        _ plan: FaultPlan,
        isOpen: Bool = true,
        _ body: (Session, SessionRecorder, Session, SessionRecorder) async throws -> Void
    ) async throws {
        try await SessionLink.socketPair.withEnds { one, other in
            let (initiated, accepted) = (SessionRecorder(), SessionRecorder())
            let initiator = Session(
                over: FaultyConnection(one, plan),
                as: .initiator(Handshakes.hello()),
                handshakeTimeout: nil,
                handler: initiated
            )
            let acceptor = Session(
                over: other,
                as: .acceptor(Handshakes.acceptance()),
                handshakeTimeout: nil,
                handler: accepted
            )
            acceptor.start()
            initiator.start()
            if isOpen {
                try await initiated.record.until { $0.peer != nil }
                try await accepted.record.until { $0.peer != nil }
            }
            try await body(initiator, accepted, acceptor, initiated)
        }
    }
}
