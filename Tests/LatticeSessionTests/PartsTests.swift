import LatticeConcurrency
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import Testing

/// Payloads in parts between two sessions.
@Suite(.timeLimit(.minutes(10))) struct PartsTests {
    /// Writes down what comes on a channel, in order.
    private final class Recorder: SessionChannel {
        let messages = Watched<[String]>([])
        let payloads = Watched<[[UInt8]]>([])

        func receive(_ kind: MessageKind, _ body: UnsafeRawBufferPointer) {
            messages.change { $0.append("\(kind)") }
        }

        func receive(_ kind: MessageKind, _ body: UnsafeRawBufferPointer, payload: [UInt8]) {
            payloads.change { $0.append(payload) }
            messages.change { $0.append("\(kind) of \(payload.count)") }
        }
    }

    private static let large = (0..<(5 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31) }

    /// Runs a test with a recorder for the channels 1 to 3.
    private func with(_ link: SessionLink, _ body: (SessionPair, Recorder) async throws -> Void) async throws {
        try await SessionPair.with(link) { pair in
            let recorder = Recorder()
            for session in [pair.initiator, pair.acceptor] {
                session.eventLoop.execute { for number in 1...3 { session.attach(recorder, as: UInt32(number)) } }
                await session.eventLoop.endOfTick()
            }
            try await body(pair, recorder)
        }
    }

    @Test("A cancellation and a state of another channel overtake a state in parts", arguments: SessionLink.allCases)
    func othersOvertake(link: SessionLink) async throws {
        try await with(link) { pair, recorder in
            pair.initiator.send { queue in
                queue.addState(Self.large, revision: 1, applied: 0, on: 1)
                queue.addState([1], revision: 1, applied: 0, on: 2)
                queue.addControl(CancelMessage(event: 1), on: 1)
            }
            // Before there is credit for more than the first window, which has no room for all of it.
            let messages = try await recorder.messages.until { $0.count == 3 }
            #expect(messages == ["cancel", "state", "state of \(Self.large.count)"])
            #expect(recorder.payloads.value == [Self.large])
        }
    }

    @Test("While a state is sent in parts, no newer state of its channel begins, and other channels' states do")
    func oneAtATime() async throws {
        try await with(.memory) { pair, recorder in
            await withCheckedContinuation { done in
                pair.initiator.eventLoop.execute {
                    pair.initiator.append { $0.addState(Self.large, revision: 1, applied: 0, on: 1) }
                    #expect(!pair.initiator.canPublish(on: 1))
                    #expect(pair.initiator.canPublish(on: 2))
                    pair.initiator.append { $0.addState(Self.large, revision: 1, applied: 0, on: 2) }
                    // Two of that size may wait, and more would be too much.
                    let larger = [UInt8](repeating: 1, count: 9 << 20)
                    pair.initiator.append { $0.addState(larger, revision: 1, applied: 0, on: 2) }
                    #expect(!pair.initiator.canPublish(on: 3))
                    pair.initiator.flushSoon()
                    done.resume()
                }
            }
            let payloads = try await recorder.payloads.until { $0.count == 3 }
            let sizes: [Int] = payloads.map(\.count).sorted()
            let expected: [Int] = [5 << 20, 5 << 20, 9 << 20]
            #expect(sizes == expected)
        }
    }

    @Test("Goodbye is sent after the last part")
    func goodbyeWaits() async throws {
        try await with(.socketPair) { pair, recorder in
            pair.initiator.send { $0.addState(Self.large, revision: 1, applied: 0, on: 1) }
            pair.initiator.end()
            try await pair.accepted.record.until { $0.closed == 1 }
            #expect(recorder.payloads.value == [Self.large])
            #expect(pair.accepted.record.value.error == nil)
        }
    }

    @Test("A peer that breaks the rules of parts has its session ended with the reason")
    func violationsEndTheSession() async throws {
        let length = StateMessage(revision: 1, applied: 0, state: [], length: 100)
        let cases: [(messages: [any WireMessageBody], says: String)] = [
            ([PartMessage(bytes: [1])], "no message there has begun"),
            ([length, length], "before the last part"),
            ([length, PartMessage(bytes: [UInt8](repeating: 1, count: 101))], "100 were announced"),
            ([StateMessage(revision: 1, applied: 0, state: [], length: 1 << 40)], "announces a payload"),
        ]
        for (messages, says) in cases {
            try await SessionLink.memory.withEnds { one, other in
                let raw = RawEnd(one)
                let recorder = SessionRecorder()
                let acceptance = Handshakes.acceptance()
                let session = Session(over: other, as: .acceptor(acceptance), handshakeTimeout: nil, handler: recorder)
                session.start()
                try raw.write(Handshakes.hello())
                try await recorder.record.until { $0.peer != nil }
                for message in messages { try raw.write(message, on: 1) }
                let record = try await recorder.record.until { $0.closed == 1 }
                #expect(record.error?.code == .violation)
                let frames = try await raw.frames()
                let goodbye = try Goodbye(decoding: try #require(frames.last).body)
                #expect(goodbye.code == .violation)
                #expect(goodbye.reason.contains(says), "\(goodbye.reason)")
            }
        }
    }
}
