import LatticeConcurrency
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ChannelServerTests {
    @Test("Unreleased outcomes are not sent, and cancellations pass meanwhile", arguments: SessionLink.allCases)
    func nothingLeaksBeforeTheRelease(link: SessionLink) async throws {
        try await withServer(link) { client, recorder, host in
            client.send { queue in
                queue.addEvent(1, action: [1], on: 1)
                queue.addEvent(2, action: [2], on: 1)
                queue.addControl(CancelMessage(event: 1), on: 1)
            }
            try await host.cancelled.until { $0 == [1] }
            host.onLoop { $0.complete(1, .cancelled) }
            // All earlier messages would have been sent before the answer to this one.
            try await untilPublished(client, recorder, host)
            #expect(recorder.kinds == [.opened])
            host.onLoop { server in
                var state: [UInt8] = [0x02]
                server.release(&state)
                server.noteActivity()
            }
            let record = try await recorder.record.until { $0.messages.count { $0.kind == .completion } == 2 }
            let states = try record.messages.filter { $0.kind == .state }.map { try StateMessage(decoding: $0.body) }
            #expect(states.map(\.revision) == [2])
            #expect(states.map(\.applied) == [2])
            #expect(states.map(\.state) == [[0x02]])
            let ends = try record.messages.filter { $0.kind == .completion }
                .map { try CompletionMessage(decoding: $0.body) }
            #expect(
                ends.sorted { $0.event < $1.event } == [
                    CompletionMessage(event: 1, revision: 2, outcome: .cancelled),
                    CompletionMessage(event: 2, revision: 2, outcome: .finished),
                ]
            )
        }
    }

    @Test("A state with unchanged bytes is not sent again", arguments: SessionLink.allCases)
    func theSameBytesAreNoState(link: SessionLink) async throws {
        try await withServer(link) { client, recorder, host in
            client.send { $0.addEvent(1, action: [3], on: 1) }
            try await host.started.until { $0 == [1] }
            host.onLoop { server in
                var state: [UInt8] = [0x01]
                server.release(&state)
                server.noteActivity()
            }
            let record = try await recorder.record.until { $0.messages.count == 2 }
            let message = try AcknowledgementMessage(decoding: record.messages[1].body)
            #expect(message == AcknowledgementMessage(applied: 1, revision: 1))
        }
    }

    @Test("The end of a worker is explained once per incarnation, and again with new details, before the outcome")
    func explanations() async throws {
        try await withServer(.socketPair) { client, recorder, host in
            client.send { $0.addEvent(1, action: [1], on: 1) }
            try await host.started.until { $0 == [1] }
            host.onLoop { server in
                let explained: [(UInt64, Bool)] = [(1, false), (1, false), (2, false), (2, true), (2, false)]
                for (incarnation, again) in explained {
                    server.explain(incarnation: incarnation, again: again) {
                        var report = CrashReportMessage()
                        report.incarnation = incarnation
                        report.quarantined = again ? 1 : nil
                        return report
                    }
                }
                server.recordOutcome(.interrupted(cause: .signal(6), incarnation: 2), of: 1)
                server.releaseOutcomes()
            }
            let record = try await recorder.record.until { $0.messages.contains { $0.kind == .completion } }
            #expect(record.messages.last?.kind == .completion)
            let reports = try record.messages.filter { $0.kind == .crashReport }
                .map { try CrashReportMessage(decoding: $0.body) }
            #expect(reports.map(\.incarnation) == [1, 2, 2])
            #expect(reports.map(\.quarantined) == [nil, nil, 1])
        }
    }

    @Test("An event that was rolled back and failed has one outcome, whatever its first run reports later")
    func whatWasTakenBackEndsOnce() async throws {
        try await withServer(.socketPair) { client, recorder, host in
            client.send { $0.addEvent(1, action: [1], on: 1) }
            try await host.started.until { $0 == [1] }
            host.onLoop { server in
                #expect(server.withdraw().running.map(\.0) == [1])
                server.restart(1, .ended(.failed(type: "T", message: "m")))
                server.complete(1, .cancelled)
                server.releaseUnchanged()
            }
            try await recorder.record.until { $0.messages.contains { $0.kind == .completion } }
            try await untilPublished(client, recorder, host)
            let ends = recorder.record.value.messages.filter { $0.kind == .completion }
            #expect(ends.count == 1)
            #expect(
                try ends.map { try CompletionMessage(decoding: $0.body).outcome } == [.failed(type: "T", message: "m")]
            )
        }
    }

    @Test("Each of several ended events gets its outcome, however late the host reports it")
    func endsThatComeLate() async throws {
        try await withServer(.socketPair) { client, recorder, host in
            client.send { queue in
                for event in 1...3 as ClosedRange<UInt64> { queue.addEvent(event, action: [5], on: 1) }
            }
            try await host.started.until { $0 == [1, 2, 3] }
            let rejected = WireOutcome.rejected(code: .overloaded, reason: "r")
            host.onLoop { server in
                for event in [2, 1, 3] as [UInt64] { server.recordOutcome(rejected, of: event) }
                server.releaseOutcomes()
            }
            let record = try await recorder.record.until { $0.messages.count { $0.kind == .completion } == 3 }
            let ends = try record.messages.filter { $0.kind == .completion }
                .map { try CompletionMessage(decoding: $0.body) }
            #expect(ends.map(\.event) == [2, 1, 3])
            #expect(ends.allSatisfy { $0.outcome == rejected })
        }
    }

    @Test(
        "Events before `opened` are ignored, also if the channel was open before",
        arguments: SessionLink.allCases
    )
    func nothingIsTakenInBeforeTheAnswer(link: SessionLink) async throws {
        try await withServer(link) { client, recorder, host in
            client.send { $0.addEvent(1, action: [1], on: 1) }
            try await host.started.until { $0 == [1] }
            let server = try #require(host.server.value)
            let session = try #require(server.session)
            session.eventLoop.execute { server.link(to: session, by: Self.open) }
            await host.endOfTick()
            // The message on the other channel was sent later.
            client.send { $0.addEvent(2, action: [1], on: 1) }
            client.send { $0.addOpen(Self.open, on: 3) }
            try await recorder.record.until { $0.messages.contains { $0.channel == 3 } }
            let received = await session.eventLoop.run { server.remembered.state.received }
            #expect(received == 1)
            await session.eventLoop.run { server.answer(by: host) }
            try await recorder.record.until { $0.messages.count { $0.kind == .opened && $0.channel == 1 } == 2 }
            client.send { $0.addEvent(2, action: [1], on: 1) }
            try await host.started.until { $0 == [1, 2] }
        }
    }

    @Test("All is published only after the newest state, which waits for room after an older one")
    func publishedWhenTheNewestStateIs() async throws {
        try await withServer(.messages) { client, recorder, host in
            await countPublications(host)
            #expect(host.published.value == 1, "nothing is left")
            await releaseTwoStates(to: client, host)
            await countPublications(host)
            #expect(host.published.value == 1)
            client.connection.resumeReading()
            try await host.published.until { $0 == 2 }
            let record = try await recorder.record.until { $0.messages.last?.kind == .state && $0.messages.count == 3 }
            #expect(try record.messages.last.map { try StateMessage(decoding: $0.body).state.first } == 3)
        }
    }

    @Test("A channel that ends has nothing left to publish")
    func publishedWhenItEnds() async throws {
        try await withServer(.messages) { client, _, host in
            await releaseTwoStates(to: client, host)
            await countPublications(host)
            #expect(host.published.value == 0)
            host.onLoop { $0.close() }
            try await host.published.until { $0 == 1 }
        }
    }

    /// Counts once everything has been published.
    private func countPublications(_ host: LateHost) async {
        host.onLoop { server in server.whenPublished { host.published.change { $0 += 1 } } }
        await host.endOfTick()
    }

    /// Two states for a client that does not read: the second waits for room behind the first.
    private func releaseTwoStates(to client: Session, _ host: LateHost) async {
        client.connection.pauseReading()
        for byte in [2, 3] as [UInt8] {
            host.onLoop { server in
                var state = [UInt8](repeating: byte, count: 1 << 20)
                server.release(&state)
                server.noteActivity()
            }
            await host.endOfTick()
        }
    }

    /// Waits until all earlier messages have been sent.
    private func untilPublished(_ client: Session, _ recorder: SessionRecorder, _ host: LateHost) async throws {
        await host.endOfTick()
        host.server.value?.session?.sendControl(HostStatusMessage(kind: .connecting), on: 99)
        try await recorder.record.until { $0.messages.contains { $0.channel == 99 } }
        recorder.record.change { $0.messages.removeAll { $0.channel == 99 } }
    }

    private func withServer(
        _ link: SessionLink,
        _ body: (Session, SessionRecorder, LateHost) async throws -> Void
    ) async throws {
        try await link.withEnds { one, other in
            let (recorder, host) = (SessionRecorder(), LateHost())
            let client = Session(
                over: one,
                as: .initiator(Handshakes.hello()),
                handshakeTimeout: nil,
                handler: recorder
            )
            let server = Session(
                over: other,
                as: .acceptor(Handshakes.acceptance()),
                handshakeTimeout: nil,
                handler: host
            )
            server.start()
            client.start()
            try await recorder.record.until { $0.peer != nil }
            client.send { $0.addOpen(Self.open, on: 1) }
            try await recorder.record.until { $0.messages.count == 1 }
            try await body(client, recorder, host)
        }
    }

    private static let open = Open(feature: "f", schema: 1, instance: "", state: nil, revision: 0, resumeAfter: 0)
}

/// A host that releases on request, like a host that commits first. Actions below 2 run until a test cancels or
/// completes them. Action 3 never ends. Action 5 has ended and reports it later. Other actions finish at once.
private final class LateHost: ChannelHost, SessionHandler {
    struct Running: RunningEvent {
        let event: UInt64
        let host: LateHost

        func cancel(_ cancellation: WireCancellation) { host.cancelled.change { $0.append(event) } }
    }

    let server = Watched<ChannelServer?>(nil)
    let started = Watched<[UInt64]>([])
    let cancelled = Watched<[UInt64]>([])
    let published = Watched(0)

    func onLoop(_ body: @escaping @Sendable (ChannelServer) -> Void) {
        guard let server = server.value, let session = server.session else { return }
        session.eventLoop.execute { body(server) }
    }

    func endOfTick() async {
        await server.value?.session?.eventLoop.endOfTick()
    }

    func start(_ event: borrowing IncomingEvent, for server: ChannelServer) -> EventStart {
        let (number, action) = (event.number, event.action.first ?? 0)
        started.change { $0.append(number) }
        switch action {
        case 2: return .ended(.finished)
        case 5: return .completed
        default:
            server.keep(event)
            return .running(Running(event: number, host: self))
        }
    }

    func sessionOpened(_ session: Session, peer: Handshake.Peer) {}

    func session(_ session: Session, opens channel: UInt32, _ open: Open) {
        let server = ChannelServer(
            number: channel,
            state: ChannelServerState(revision: open.revision, applied: open.resumeAfter),
            sender: 1,
            eventLoop: session.eventLoop
        )
        self.server.change { $0 = server }
        server.link(to: session, by: open)
        var first: [UInt8] = [0x01]
        server.release(&first)
        server.answer(by: self)
    }

    func session(_ session: Session, received kind: MessageKind, body: UnsafeRawBufferPointer) {}

    func sessionClosed(_ session: Session, error: SessionError?) {}
}

extension SessionRecorder {
    fileprivate var kinds: [MessageKind] { record.value.messages.map(\.kind) }
}
