import LatticeCoordinator
import LatticeTestSupport
import Testing

struct CoordinatorConfigurationTests {
    struct Case: Sendable {
        let setting: String
        /// The numbers and names that the error has to contain.
        let facts: [String]
        let change: @Sendable (inout CoordinatorConfiguration) -> Void

        init(
            _ setting: String,
            _ facts: String...,
            change: @escaping @Sendable (inout CoordinatorConfiguration) -> Void
        ) {
            self.setting = setting
            self.facts = facts
            self.change = change
        }
    }

    @Test(
        "Settings that make no sense are refused with an explanation (F78)",
        arguments: [
            Case("openTimeout", "0.0 seconds", "0.001 seconds") { $0.openTimeout = .zero },
            Case("heartbeatInterval", "0.0 seconds", "0.01 seconds") {
                $0.heartbeatInterval = .zero
            },
            Case("heartbeatInterval", "-0.005 seconds") {
                $0.heartbeatInterval = .milliseconds(-5)
            },
            Case("heartbeatTimeout", "10.0 seconds", "heartbeatInterval", "11.0 seconds") {
                $0.heartbeatInterval = .seconds(11)
            },
            Case("heartbeatTimeout", "0.0 seconds", "0.001 seconds") {
                $0.heartbeatTimeout = .zero
            },
            Case("drainTimeout", "-1.0 seconds", "0.0 seconds") { $0.drainTimeout = .seconds(-1) },
            Case("teardownTimeout", "0.0 seconds", "0.001 seconds") { $0.teardownTimeout = .zero },
            Case("deadlineGrace", "9.223372036854776e+18 seconds") { $0.deadlineGrace = .seconds(Int64.max) },
            Case("clientRetention", "9.223372036854776e+18 seconds") {
                $0.clientRetention = .seconds(Int64.max)
            },
            Case("restart.maximumDelay", "30.0 seconds", "restart.initialDelay", "31.0 seconds") {
                $0.restart.initialDelay = .seconds(31)
            },
            Case("restart.initialDelay", "-1.0 seconds") {
                $0.restart.initialDelay = .seconds(-1)
            },
            Case("restart.factor", "0.99", "1.0", "1000.0") { $0.restart.factor = 0.99 },
            Case("restart.factor", "inf", "1.0", "1000.0") { $0.restart.factor = .infinity },
            Case("restart.jitter", "nan", "0.0", "1.0") { $0.restart.jitter = .nan },
            Case("restart.jitter", "1.5", "0.0", "1.0") { $0.restart.jitter = 1.5 },
            Case("restart.intensity.restarts", "-1", "0") { $0.restart.intensity.restarts = -1 },
            Case("restart.intensity.period", "0.0 seconds", "0.001 seconds") {
                $0.restart.intensity.period = .zero
            },
            Case("restart.stableTime", "-1.0 seconds", "0.0") {
                $0.restart.stableTime = .seconds(-1)
            },
            Case("restart.maximumAnsweredDeaths", "-1", "0") { $0.restart.maximumAnsweredDeaths = -1 },
            Case("restart.probeDelay", "0.0 seconds", "0.001 seconds") {
                $0.restart.probeDelay = .zero
            },
            Case("restart.maximumFailedStarts", "-1", "0") { $0.restart.maximumFailedStarts = -1 },
            Case("restart.bootTimeout", "0.0 seconds", "0.001 seconds") {
                $0.restart.bootTimeout = .zero
            },
            Case("limits.memoryBytes", "0", "1048576") { $0.limits.memoryBytes = 0 },
        ]
    )
    func nonsenseIsRefused(nonsense: Case) async {
        let error = await error(of: nonsense)
        let message = error?.message ?? ""
        #expect(message.hasPrefix("The coordinator's configuration is invalid: "), "\(message)")
        for fact in [nonsense.setting] + nonsense.facts { #expect(message.contains(" \(fact)"), "\(message)") }
    }

    @Test("The maximum of events per client must leave room for other clients", arguments: [0, 24_577])
    func eventsPerClient(count: Int) async {
        let error = await error(of: Case("") { $0.maximumEventsPerClient = count })
        #expect(error?.message == "maximumEventsPerClient is \(count). Choose a value from 1 to 24576.")
    }

    private func error(of nonsense: Case) async -> CoordinatorError? {
        var configuration = CoordinatorConfiguration()
        // Not found out, as the settings are looked at first.
        configuration.workerExecutable = "/no/such/worker"
        nonsense.change(&configuration)
        let error = await #expect(throws: CoordinatorError.self) {
            try await withCoordinator(hosting: JournalFeature.self, configuration: configuration) { _ in }
        }
        #expect(error?.code == .invalid)
        return error
    }
}
