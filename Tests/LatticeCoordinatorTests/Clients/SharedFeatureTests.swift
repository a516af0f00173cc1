import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import Testing

@testable import LatticeCoordinator

@Suite(.timeLimit(.minutes(10)))
struct SharedFeatureTests {
    // MARK: Sharing

    @Test("A change by one client is seen by all clients (F63)") func whatOneClientSendsAllSee() async throws {
        try await CoordinatorBench.with { bench in
            bench.startWorker()
            let (one, other) = (bench.makeClient(identity: 1), bench.makeClient(identity: 2))
            let (oneRecorder, otherRecorder) = (TestClient.Recorder(), TestClient.Recorder())
            let channel = one.open(oneRecorder)
            _ = other.open(otherRecorder)
            try await one.connect()
            try await other.connect()
            try await otherRecorder.record.until { $0.opened == 1 }
            for number in 1...100 {
                #expect(await channel.send(.add(number)).finish() == .finished)
                #expect(oneRecorder.record.value.states.last?.count == number)
            }
            #expect(oneRecorder.record.value.states.last == JournalFeature.ViewState(sum: 5050, count: 100, last: 100))
            try await otherRecorder.record.until { $0.states.last?.count == 100 }
            let reached = try await oneRecorder.record.until { $0.acknowledged == 100 }
            #expect(reached.acknowledged == 100)
            let counts = otherRecorder.record.value.states.map(\.count)
            #expect(zip(counts, counts.dropFirst()).allSatisfy { $0 < $1 })
        }
    }

    @Test func clientsSeeEventsOfTheCoordinator() async throws {
        try await CoordinatorBench.with { bench in
            bench.startWorker()
            let host = try await bench.host()
            try await host.whenOpened()
            let task = await host.viewModel.sendViewEvent(.add(3))
            #expect(await task.finish() == .finished)
            #expect(await host.viewModel.viewState.sum == 3)
            #expect(host.acknowledgedState?.entries == [3])
            let client = bench.makeClient(identity: 1)
            let recorder = TestClient.Recorder()
            _ = client.open(recorder)
            try await client.connect()
            try await recorder.record.until { $0.states.last?.sum == 3 }
        }
    }

    @Test func eventsEndAsTheWorkerSays() async throws {
        try await withClient { bench, client, channel, recorder in
            guard case .rejected(let rejection) = await channel.send(encoded: [0xff]).wait() else {
                Issue.record("not rejected")
                return
            }
            #expect(rejection.code == .undecodable)
            let gate = Gates.makeName()
            let task = channel.send(.wait(1, gate: gate))
            try await Gates.untilArrived(gate)
            task.cancel()
            #expect(await task.finish() == .cancelled)
            #expect(await channel.send(.nothing).finish() == .finished)
            #expect(recorder.record.value.states.last?.count == 1)
        }
    }

    @Test func aClientMayOpenAFeatureTwice() async throws {
        try await withClient { bench, client, channel, recorder in
            let second = TestClient.Recorder()
            let other = client.open(second)
            #expect(await other.send(.add(1)).finish() == .finished)
            #expect(await channel.send(.add(2)).finish() == .finished)
            try await recorder.record.until { $0.states.last?.sum == 3 }
            try await second.record.until { $0.states.last?.sum == 3 }
        }
    }

    @Test(
        arguments: [
            (
                "other", 1,
                "The coordinator does not host \"other\". It hosts: archive, journal, profile, recovering, words. Pass"
                    + " the feature to withCoordinator(hosting:)."
            ),
            (
                "journal", 2,
                "The coordinator has schema 1 of \"journal\", and the client has schema 2. Build both from the same source."
            ),
        ] as [(String, Int, String)]
    )
    func whatIsNotHostedIsRefused(feature: String, schema: Int, reason: String) async throws {
        try await withClient { bench, client, channel, _ in
            let recorder = TestClient.Recorder()
            _ = client.open(recorder, feature: feature, schema: schema)
            let reached = try await recorder.record.until { $0.rejection != nil }
            #expect(reached.rejection?.reason == reason)
            #expect(reached.refusal == (schema == 1 ? .unknownFeature : .schema))
            #expect(await channel.send(.add(2)).finish() == .finished)
        }
    }

    @Test func aFailedWorkerIsSaidToClients() async throws {
        try await CoordinatorBench.with { bench in
            bench.supervisor.channels.close(
                reason: "it died too often",
                interruption: Interruption(cause: .disconnected, incarnation: 0)
            )
            let client = bench.makeClient(identity: 1)
            let recorder = TestClient.Recorder()
            _ = client.open(recorder)
            try await client.connect()
            let record = try await recorder.record.until { $0.rejection != nil }
            #expect(record.rejection?.reason == "it died too often")
            #expect(record.refusal == .unavailable)
        }
    }

    // MARK: Host status

    @Test func clientsGetTheStatusOfTheWorker() async throws {
        try await withClient { bench, _, channel, recorder in
            let gate = Gates.makeName()
            let running = channel.send(.wait(1, gate: gate))
            try await Gates.untilArrived(gate)
            try await bench.killWorker()
            #expect(await running.finish() == .interrupted(Interruption(cause: .signal(9), incarnation: 1)))
            let restart = HostStatus.Restart(attempt: 1, delay: .milliseconds(100), cause: .signal(9))
            bench.supervisor.channels.report(.restarting(restart))
            try await recorder.record.until { $0.hosts.last == .restarting(restart) }
            let waiting = channel.send(.add(2))
            bench.startWorker()
            #expect(await waiting.finish() == .finished)
            #expect(recorder.record.value.states.last?.last == 2)
            try await recorder.record.until { if case .serving? = $0.hosts.last { true } else { false } }
        }
    }

    @Test func aFeatureThatIsOpenedLaterKnowsItsHost() async throws {
        try await CoordinatorBench.with { bench in
            bench.startWorker()
            try await bench.host("1").whenOpened()
            let host = try await bench.host("2")
            try await host.whenOpened()
            let status = await host.viewModel.hostStatus
            #expect(status == .serving(.init(incarnation: 1, processID: 0)))
        }
    }

    @Test("A reset makes the feature available again (F13)") func aResetMakesTheFeatureAvailableAgain() async throws {
        try await CoordinatorBench.with { bench in
            bench.startWorker()
            let host = try await bench.host()
            try await host.whenOpened()
            try await bench.killWorker()
            bench.supervisor.channels.close(
                reason: "given up",
                interruption: Interruption(cause: .disconnected, incarnation: 0)
            )
            bench.supervisor.channels.report(.failed(HostFailure(reason: "given up")))
            #expect(await host.viewModel.sendViewEvent(.add(1)).finish() == .rejected(.closed))
            try await eventually(host) { @MainActor in $0.hostStatus == .failed(HostFailure(reason: "given up")) }
            let end = await #expect(throws: ChannelEnd.self) { try await host.whenOpened() }
            #expect(end?.code == .closed)
            bench.supervisor.channels.revive()
            bench.startWorker()
            #expect(await host.viewModel.sendViewEvent(.add(2)).finish() == .finished)
            try await host.whenOpened()
        }
    }

    // MARK: Coming back

    @Test("Outcomes wait for a client that comes back (F57)") func outcomesWaitForAClientThatComesBack() async throws {
        try await withClient { bench, client, channel, recorder in
            let gate = Gates.makeName()
            let running = channel.send(.wait(1, gate: gate))
            try await Gates.untilArrived(gate)
            try await recorder.record.until { $0.acknowledged == 1 }
            try await client.disconnect()
            let host = try await bench.host()
            Gates.open(gate)
            try await eventually(host) { @MainActor in $0.viewState.count == 2 }
            let waiting = channel.send(.add(5))
            try await client.connect()
            #expect(await running.finish() == .finished)
            #expect(await waiting.finish() == .finished)
            #expect(recorder.record.value.states.last == JournalFeature.ViewState(sum: 5, count: 3, last: 5))
        }
    }

    @Test func aLostOutcomeIsSentAgain() async throws {
        try await withClient { bench, client, channel, recorder in
            let gate = Gates.makeName()
            let finished = channel.send(.wait(1, gate: gate))
            let failing = channel.send(.wait(2, gate: gate))
            try await Gates.untilArrived(gate, count: 2)
            try await recorder.record.until { $0.acknowledged == 2 }
            // The answers leave the coordinator and are never read.
            client.session?.connection.pauseReading()
            failing.cancel()
            try await Gates.untilCancelled(gate)
            let host = try await bench.host()
            Gates.open(gate)
            try await eventually(host) { @MainActor in $0.viewState.count >= 3 }
            let unheard = channel.send(.add(7))
            try await eventually(host) { @MainActor in $0.viewState.last == 7 }
            try await client.disconnect()
            try await client.connect()
            #expect(await finished.finish() == .finished)
            #expect(await failing.finish() == .cancelled)
            #expect(await unheard.finish() == .finished)
            #expect(await host.viewModel.viewState.count == 4)
        }
    }

    @Test func aCancelDuringTheAbsenceIsSentLater() async throws {
        try await withClient { bench, client, channel, recorder in
            let gate = Gates.makeName()
            let running = channel.send(.wait(1, gate: gate))
            try await Gates.untilArrived(gate)
            try await recorder.record.until { $0.acknowledged == 1 }
            try await client.disconnect()
            running.cancel()
            try await client.connect()
            #expect(await running.finish() == .cancelled)
        }
    }

    @Test("After its retention, no event of a client is applied twice or reported as ended (F80)")
    func aForgottenClientHearsThatNobodyKnows() async throws {
        var configuration = CoordinatorConfiguration.patient
        configuration.clientRetention = .seconds(5)
        try await withClient(configuration: configuration) { bench, client, channel, recorder in
            let gate = Gates.makeName()
            let running = channel.send(.wait(1, gate: gate))
            try await Gates.untilArrived(gate)
            try await recorder.record.until { $0.acknowledged == 1 }
            // The answer to the second event is never read.
            client.session?.connection.pauseReading()
            let unheard = channel.send(.add(5))
            let host = try await bench.host()
            try await eventually(host) { @MainActor in $0.viewState.last == 5 }
            try await client.disconnect()
            try await untilAbsent(bench, 1)
            await bench.tick(after: .seconds(6))
            let waiting = channel.send(.add(2))
            try await client.connect()
            guard case .unknown(let unknown) = await running.finish() else {
                Issue.record("known")
                return
            }
            #expect(unknown.reason.hasSuffix("Its effects may still run."))
            #expect(await unheard.finish() == .unknown(UnknownOutcome(reason: "")))
            #expect(await waiting.finish() == .finished)
            try await eventually(host) { @MainActor in $0.viewState.sum == 8 }
            // It did still run.
            Gates.open(gate)
            try await recorder.record.until { $0.states.last?.count == 4 }
        }
    }

    @Test("A channel number that is opened for the first time does not continue a channel of an older session (F81)")
    func aNewcomerDoesNotInheritAChannel() async throws {
        try await withClient { bench, client, channel, recorder in
            for number in 1...3 { #expect(await channel.send(.add(number)).finish() == .finished) }
            try await client.disconnect()
            let other = bench.makeClient(identity: 1)
            let otherRecorder = TestClient.Recorder()
            let otherChannel = other.open(otherRecorder)
            try await other.connect()
            // Its first event is no duplicate of the older one's first.
            #expect(await otherChannel.send(.add(10)).finish() == .finished)
            #expect(otherRecorder.record.value.states.last?.sum == 16)
            #expect(try await bench.host().channelCount == 1)
        }
    }

    @Test func aLateEndOfAnOldConnectionDoesNotHurtTheNewOne() async throws {
        try await withClient { bench, client, channel, recorder in
            let old = client.session
            // The coordinator still has the old connection when the new one is there.
            client.channels.detach()
            try await client.connect()
            try await recorder.record.until { $0.opened == 2 }
            old?.connection.close()
            try await client.closed.until { $0.count == 1 }
            #expect(await channel.send(.add(2)).finish() == .finished)
            #expect(recorder.record.value.states.last?.sum == 2)
        }
    }

    @Test("When two sessions have one identity, the older one ends with the reason that a newer one replaces it (F81)")
    func aSecondSessionReplacesTheFirst() async throws {
        try await withClient { bench, client, channel, recorder in
            let gate = Gates.makeName()
            _ = channel.send(.wait(1, gate: gate))
            try await Gates.untilArrived(gate)
            let other = bench.makeClient(identity: 1)
            let otherChannel = other.open(TestClient.Recorder())
            try await other.connect()
            let error = try await client.closed.until { $0.count == 1 }.first ?? nil
            #expect(error?.code == .replaced)
            #expect(error?.isLasting == true)
            #expect(await otherChannel.send(.add(5)).finish() == .finished)
            // The newer one is not counted as gone.
            #expect(bench.clients.known.count { $0.absentSince != nil } == 0)
            #expect(bench.clients.known.count == 1)
        }
    }

    @Test("When two sessions have one identity, the later connection stays, whichever hello is read first (F81)")
    func aLateHelloReplacesNobody() async throws {
        try await CoordinatorBench.with { bench in
            let identity = [UInt8](repeating: 7, count: 16)
            let (givenUp, later, newest) = (makeSession(bench), makeSession(bench), makeSession(bench))
            let facts = SenderFacts(processID: 1, userID: 1, program: nil)
            let (client, nobody) = bench.clients.client(identity, on: later, by: 2, facts)
            #expect(nobody == nil)
            #expect(bench.clients.client(identity, on: givenUp, by: 1, facts).over === givenUp)
            #expect(client.isConnected(by: later))
            #expect(bench.clients.client(identity, on: newest, by: 3, facts).over === later)
            #expect(client.isConnected(by: newest))
        }
    }

    private func makeSession(_ bench: CoordinatorBench) -> Session {
        let (_, far) = MemoryConnection.pair(eventLoop: bench.reactor)
        return Session(over: far, as: .acceptor(Handshakes.acceptance()), handler: RejectedConnection())
    }

    @Test func sessionsWithoutAnIdentityDoNotReplaceEachOther() async throws {
        try await CoordinatorBench.with { bench in
            bench.startWorker()
            let clients = [bench.makeClient(identity: 1), bench.makeClient(identity: 1)]
            let channels = clients.map { $0.open(TestClient.Recorder()) }
            for client in clients { try await client.connect(hasIdentity: false) }
            for channel in channels { #expect(await channel.send(.add(1)).finish() == .finished) }
            #expect(clients.allSatisfy { $0.closed.value.isEmpty })
        }
    }

    @Test func aClientSeesThatAnotherCoordinatorAnswers() async throws {
        try await withClient { bench, client, channel, recorder in
            let serving = HostStatus.Serving(incarnation: 3, processID: 4)
            bench.supervisor.channels.report(.serving(serving))
            let expected = HostStatus.Serving(incarnation: 3, processID: 4, coordinator: 77)
            try await recorder.record.until { $0.hosts.last == .serving(expected) }
            // The host status of the coordinator's own view model has no coordinator ID.
            let host = try await bench.host()
            try await eventually(host) { @MainActor in $0.hostStatus == .serving(serving) }
        }
    }

    @Test("The number of remembered absent clients is bounded by the maximum of connected clients, 1,024 by default")
    func theNumberOfAbsentClientsIsBounded() async throws {
        #expect(DescriptorBudget.maximumClients == 1_024)
        let limit = 4
        try await CoordinatorBench.with(maximumClients: limit) { bench in
            bench.startWorker()
            for number in 0..<3 * limit {
                let client = bench.makeClient(identity: UInt8(number))
                let recorder = TestClient.Recorder()
                _ = client.open(recorder)
                try await client.connect()
                try await recorder.record.until { $0.opened == 1 }
                try await client.disconnect()
            }
            try await untilAbsent(bench, limit)
            #expect(bench.clients.known.count == limit)
        }
    }

    // MARK: Leaving

    @Test func aClosedChannelIsForgottenAndItsEffectsAreCancelled() async throws {
        try await withClient { bench, client, channel, recorder in
            let gate = Gates.makeName()
            let running = channel.send(.wait(1, gate: gate))
            try await Gates.untilArrived(gate)
            let host = try await bench.host()
            #expect(await host.channelCount == 1)
            client.channels.remove(channel.channel)
            #expect(await running.finish() == .cancelled)
            // A message on another channel shows that the close has been handled.
            let again = client.open(TestClient.Recorder())
            #expect(await again.send(.add(1)).finish() == .finished)
            try await poll { await host.channelCount == 1 }
            #expect(Gates.arrivals(gate) == 1)
        }
    }

    @Test func aChannelThatIsClosedWhileItOpensIsNotKept() async throws {
        try await CoordinatorBench.with { bench in
            let client = bench.makeClient(identity: 1)
            try await client.connect()
            // No worker yet: the answer has to wait.
            let channel = client.open(TestClient.Recorder())
            client.channels.remove(channel.channel)
            let recorder = TestClient.Recorder()
            let other = client.open(recorder)
            bench.startWorker()
            #expect(await other.send(.add(1)).finish() == .finished)
            let host = try await bench.host()
            #expect(await host.channelCount == 1)
        }
    }

    @Test func aClientWithoutAnIdentityLeavesNothingBehind() async throws {
        try await CoordinatorBench.with { bench in
            bench.startWorker()
            let host = try await bench.host()
            for _ in 0..<20 {
                let client = bench.makeClient(identity: 1)
                let recorder = TestClient.Recorder()
                _ = client.open(recorder)
                try await client.connect(hasIdentity: false)
                try await recorder.record.until { $0.opened == 1 }
                try await client.disconnect()
            }
            try await poll { await host.channelCount == 0 }
            #expect(bench.clients.known.count == 0)
        }
    }

    // MARK: Too many, and the end

    @Test func aClientTooManyGetsTheReason() async throws {
        try await CoordinatorBench.with(maximumClients: 1) { bench in
            let (one, other) = (bench.makeClient(identity: 1), bench.makeClient(identity: 2))
            try await one.connect()
            other.startConnecting()
            let error = try await other.closed.until { $0.count == 1 }.first ?? nil
            #expect(error?.code == .refused)
            #expect(
                error?.detail == "The coordinator has 1 client, its maximum. End one of them and try again."
            )
            #expect(one.closed.value.isEmpty)
            // There is room again.
            try await one.disconnect()
            while !bench.clients.known.isEmpty { await Task.yield() }
            try await other.connect()
        }
    }

    @Test func silentConnectionsKeepNoClientOutAndAreLoggedOnce() async throws {
        let log = LogLines()
        var configuration = CoordinatorConfiguration.patient
        configuration.logger = log.makeLogger()
        try await CoordinatorBench.with(configuration: configuration, maximumClients: 2) { bench in
            let reactor = bench.supervisor.channels.eventLoop
            let first = bench.makeClient(identity: 1)
            try await first.connect()
            // Far more than have a place: each has one until the next needs it.
            let silent = (0..<400).map { _ in
                let (near, far) = MemoryConnection.pair(eventLoop: reactor)
                bench.clients.accept(far)
                return near
            }
            let newcomer = bench.makeClient(identity: 2)
            try await newcomer.connect()
            #expect(first.closed.value.isEmpty)
            try await log.until(count: 2)
            let reason = "because others needed the place."
            #expect(
                log.lines == [
                    "A connection without a hello was closed, \(reason)",
                    "335 more connections without a hello were closed, \(reason)",
                ]
            )
            for connection in silent { connection.close() }
        }
    }

    @Test func aProgramOfAnotherUserGetsTheReason() async throws {
        let log = LogLines()
        var configuration = CoordinatorConfiguration.patient
        configuration.logger = log.makeLogger()
        try await CoordinatorBench.with(configuration: configuration) { bench in
            let client = bench.makeClient(identity: 1)
            client.startConnecting(asForeign: true)
            let error = try await client.closed.until { $0.count == 1 }.first ?? nil
            #expect(error?.code == .refused)
            #expect(error?.refusal == .credentials)
            #expect(
                log.lines == ["A program of another user was refused, because only this user may connect."]
            )
        }
    }

    @Test("Messages that a client has not yet read are not lost at the end (F44)")
    func whatAClientHasNotReadIsNotLostAtTheEnd() async throws {
        try await withClient { bench, client, channel, recorder in
            let host = try await bench.host()
            client.session?.connection.pauseReading()
            #expect(await host.viewModel.sendViewEvent(.grow(1 << 20)).finish() == .finished)
            async let stopped: Void = bench.clients.stop(within: .seconds(50))
            client.session?.connection.resumeReading()
            try await client.closed.until { $0.count == 1 }
            await stopped
            // The state that arrived last is delivered after it was decoded.
            try await recorder.record.until { $0.states.last?.padding.utf8.count == 1 << 20 }
            #expect(client.closed.value.first??.code == .shutDown)
            // No more clients are accepted.
            client.startConnecting()
            try await client.closed.until { $0.count == 2 }
        }
    }

    @Test func aChannelThatWaitsForAWorkerIsForgottenWithItsConnection() async throws {
        try await CoordinatorBench.with { bench in
            let client = bench.makeClient(identity: 1)
            let recorder = TestClient.Recorder()
            _ = client.open(recorder)
            for _ in 0..<20 {
                try await client.connect()
                try await client.disconnect()
            }
            try await client.connect()
            bench.startWorker()
            try await recorder.record.until { $0.opened == 1 }
            #expect(try await bench.host().channelCount == 1)
        }
    }

    // MARK: Slow readers

    @Test("A slow client gets the newest state (F43, F58)") func aSlowClientGetsTheNewestState() async throws {
        try await withClient { bench, client, channel, recorder in
            let host = try await bench.host()
            // Twice what the connection takes.
            let size = 128 * 1024
            #expect(await host.viewModel.sendViewEvent(.grow(size)).finish() == .finished)
            try await recorder.record.until { $0.states.last?.padding.utf8.count == size }
            let before = recorder.record.value.states.count
            client.session?.connection.pauseReading()
            for number in 1...50 { #expect(await host.viewModel.sendViewEvent(.add(number)).finish() == .finished) }
            client.session?.connection.resumeReading()
            try await recorder.record.until { $0.states.last?.count == 50 }
            #expect(recorder.record.value.states.count - before <= 3)
            #expect(client.closed.value.isEmpty)
        }
    }

    @Test("A client that reads nothing delays no outcome or state of a hundred other clients (F60)")
    func oneSlowClientAmongMany() async throws {
        try await withClient { bench, slow, _, slowRecorder in
            let host = try await bench.host()
            let others = (0..<99).map { bench.makeClient(identity: UInt8($0 + 100)) }
            let recorders = others.map { _ in TestClient.Recorder() }
            let channels = zip(others, recorders).map { $0.open($1) }
            for client in others { try await client.connect() }
            // States of which its connection takes none whole.
            #expect(await host.viewModel.sendViewEvent(.grow(128 * 1024)).finish() == .finished)
            slow.session?.connection.pauseReading()
            for (number, channel) in channels.enumerated() {
                #expect(await channel.send(.add(number)).finish() == .finished)
            }
            for recorder in recorders { try await recorder.record.until { $0.states.last?.count == 99 } }
            #expect(slowRecorder.record.value.states.last?.count ?? 0 < 99)
            slow.session?.connection.resumeReading()
            try await slowRecorder.record.until { $0.states.last?.count == 99 }
            #expect(slow.closed.value.isEmpty)
        }
    }

    @Test("A client that does not read is disconnected, and gets the newest state when it comes back (F61)")
    func aClientThatStandsStill() async throws {
        var configuration = CoordinatorConfiguration.patient
        configuration.heartbeatInterval = .milliseconds(500)
        configuration.heartbeatTimeout = .seconds(3)
        try await withClient(configuration: configuration) { bench, client, channel, recorder in
            let host = try await bench.host()
            #expect(await channel.send(.add(1)).finish() == .finished)
            client.session?.connection.pauseReading()
            #expect(await host.viewModel.sendViewEvent(.grow(1 << 21)).finish() == .finished)
            // 50 MB, of which it gets next to nothing as long as it does not read. In few steps: each waits for the
            // main actor, which all tests share.
            for number in 2...25 { #expect(await host.viewModel.sendViewEvent(.add(number)).finish() == .finished) }
            // Its silence is noticed; it comes back within the retention.
            try await untilAbsent(bench, 1)
            client.session?.connection.resumeReading()
            try await client.closed.until { $0.count == 1 }
            let before = recorder.record.value.states.count
            client.channels.detach()
            try await client.connect()
            try await recorder.record.until { $0.states.last?.count == 25 }
            #expect(recorder.record.value.states.count - before <= 2)
            #expect(await channel.send(.add(26)).finish() == .finished)
            #expect(recorder.record.value.states.last?.count == 26)
        }
    }

    // MARK: Support

    private func withClient(
        configuration: CoordinatorConfiguration = .patient,
        _ body: (CoordinatorBench, TestClient, TestClient.Channel, TestClient.Recorder) async throws -> Void
    ) async throws {
        try await CoordinatorBench.with(configuration: configuration) { bench in
            bench.startWorker()
            let client = bench.makeClient(identity: 1)
            let recorder = TestClient.Recorder()
            let channel = client.open(recorder)
            try await client.connect()
            try await recorder.record.until { $0.opened == 1 }
            try await body(bench, client, channel, recorder)
        }
    }

    /// Waits on the main actor until the condition holds; the time limit of the test bounds it.
    @MainActor private func eventually(
        _ host: FeatureHost<JournalFeature>,
        _ condition: @MainActor (ViewModel<JournalFeature>) -> Bool
    ) async throws {
        while !condition(host.viewModel) {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    private func untilAbsent(_ bench: CoordinatorBench, _ count: Int) async throws {
        while bench.clients.known.count(where: { $0.absentSince != nil }) != count {
            try Task.checkCancellation()
            await Task.yield()
        }
    }
}
