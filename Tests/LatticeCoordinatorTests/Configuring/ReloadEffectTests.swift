import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import Logging
import Testing

@testable import LatticeCoordinator

/// What a changed setting reaches, and what is refused before it does.
@Suite(.timeLimit(.minutes(10)))
struct ReloadEffectTests {
    private var base: CoordinatorConfiguration {
        var configuration = CoordinatorConfiguration()
        configuration.settingsFile = "app.conf"
        configuration.settingsPrefix = "APP_"
        configuration.groups = [WorkerGroup("thumbnails", of: Counter.self)]
        return configuration
    }

    private func mistakes(
        in text: String,
        _ variables: [(name: String, value: String)] = [],
        into base: CoordinatorConfiguration
    ) -> [String] {
        do throws(CoordinatorError) {
            _ = try SettingsReader.read(text, variables, into: base)
            return []
        } catch {
            return error.message.split(separator: "\n").dropFirst().map(String.init)
        }
    }

    // MARK: Mistakes

    @Test("A kind of restart with which a group can never shut down is refused, at its place")
    func neverDone() {
        var base = base
        base.groups[0].autoShutdown = .any
        base.groups[0].restart = RestartPolicy()
        base.groups[0].restart?.kind = .transient
        #expect(mistakes(in: "[group thumbnails]\nrestart.kind = temporary", into: base).isEmpty)
        let found = mistakes(in: "[group thumbnails]\nrestart.kind = permanent", into: base)
        #expect(found.count == 1 && found.first?.hasPrefix("app.conf:2: restart.kind: ") == true)
    }

    @Test("A value of the program that cannot be used is refused, also if no file sets it")
    func program() {
        var base = base
        base.clientRetention = .seconds(-1)
        #expect(mistakes(in: "clientRetention = 5 min", into: base).isEmpty)
        let found = mistakes(in: "", into: base)
        #expect(found.count == 1 && found.first?.hasPrefix("program: clientRetention is ") == true)
    }

    @Test("A value of the file that a variable replaces is checked")
    func replaced() {
        let found = mistakes(in: "clientRetention = x", [("APP_CLIENT_RETENTION", "1 s")], into: base)
        #expect(found.count == 1 && found.first?.hasPrefix("app.conf:1: clientRetention: ") == true)
    }

    // MARK: Log level

    @Test("The log level is that of the program unless a file or a variable sets one")
    func logLevel() throws {
        #expect(try SettingsReader.read("", [], into: base).logLevel == nil)
        #expect(try SettingsReader.read("logLevel = debug", [], into: base).logLevel == .debug)
        #expect(try SettingsReader.read("", [("APP_LOG_LEVEL", "trace")], into: base).logLevel == .trace)
    }

    @Test("A lower level reaches a handler that filters as well")
    func filter() async throws {
        let levels = Watched<[Logger.Level]>([])
        let queue = LogQueue()
        let logger = queue.logger(Logger(label: "test") { _ in Filter(levels: levels) })
        logger.debug("is left out")
        queue.minimumLevel = .debug
        logger.debug("is written")
        queue.minimumLevel = nil
        logger.error("is written")
        try await levels.until { $0 == [.debug, .warning] }
    }

    /// Notes its own level at each line.
    private struct Filter: LogHandler {
        let levels: Watched<[Logger.Level]>
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.warning

        init(levels: Watched<[Logger.Level]>) {
            self.levels = levels
        }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            levels.change { $0.append(logLevel) }
        }
    }

    // MARK: Workers

    @Test("A standby that was launched with other limits is replaced, and the next one serves")
    func standby() async throws {
        try await WorkerSupervisorTests().withSupervisor([.serves], { $0.standby = true }) { bench in
            try await bench.launcher.starts.until { $0 == [1, 2] }
            bench.supervisor.renewStandby()
            try await bench.launcher.starts.until { $0 == [1, 2, 2] }
            bench.launcher.kill()
            try await bench.until("serving, incarnation 2")
            #expect(await bench.channel.send(.add(1)).finish() == .finished)
        }
    }

    @Test("A worker is shown with the limits of its start, and with the present limit of its turns")
    func limits() async throws {
        try await WorkerSupervisorTests().withSupervisor([.serves]) { bench in
            let (near, _) = MemoryConnection.pair(eventLoop: bench.supervisor.channels.eventLoop)
            var worker = StartedWorker(processID: 1, connection: near) { _ in }
            worker.limits = WorkerLimits(memoryBytes: 512 << 20, turnTimeout: .seconds(1))
            let present = bench.supervisor.settings.value.limits
            #expect(bench.supervisor.limits(of: nil) == present)
            let limits = bench.supervisor.limits(of: worker)
            #expect(limits.memoryBytes == 512 << 20 && limits.turnTimeout == present.turnTimeout)
        }
    }

    @Test("Turns that hang until a limit that was raised still count against the restart limit")
    func hangingTurns() {
        var policy = RestartPolicy()
        policy.stableTime = .seconds(60)
        policy.intensity.restarts = 1
        policy.intensity.period = .seconds(3_600)
        var budget = RestartBudget(policy: policy, turnTimeout: .seconds(5))
        budget.turnTimeout = .seconds(600)
        let start = ContinuousClock.now
        let verdicts = (1...2).map { step in
            let end = start + .seconds(601 * step)
            return budget.died(
                .init(
                    incarnation: UInt64(step),
                    cause: .turn,
                    since: end - .seconds(601),
                    time: end,
                    hasProgressed: false
                ),
                chance: 0.5
            )
        }
        guard case .giveUp = verdicts[1] else {
            Issue.record("The worker is restarted although it never does anything: \(verdicts)")
            return
        }
    }
}
