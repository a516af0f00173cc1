import LatticeCoordinator
import LatticeTestSupport
import Testing

struct CoordinatorConfigurationTests {
    struct Case: Sendable {
        let message: String
        let change: @Sendable (inout CoordinatorConfiguration) -> Void

        init(_ message: String, _ change: @escaping @Sendable (inout CoordinatorConfiguration) -> Void) {
            self.message = message
            self.change = change
        }
    }

    @Test(
        "Settings that make no sense are refused with an explanation (F78)",
        arguments: [
            Case("openTimeout is 0.0 seconds; give it a time from 0.001 seconds to") { $0.openTimeout = .zero },
            Case("heartbeatInterval is 0.0 seconds; give it a time from 0.01 seconds to") {
                $0.heartbeatInterval = .zero
            },
            Case("heartbeatInterval is -0.005 seconds; give it a time from") {
                $0.heartbeatInterval = .milliseconds(-5)
            },
            Case("heartbeatTimeout is 10.0 seconds, and heartbeatInterval is 11.0 seconds; make heartbeatTimeout") {
                $0.heartbeatInterval = .seconds(11)
            },
            Case("heartbeatTimeout is 0.0 seconds; give it a time from 0.001 seconds to") {
                $0.heartbeatTimeout = .zero
            },
            Case("drainTimeout is -1.0 seconds; give it a time from 0.0 seconds to") { $0.drainTimeout = .seconds(-1) },
            Case("teardownTimeout is 0.0 seconds; give it a time from 0.001 seconds to") { $0.teardownTimeout = .zero },
            Case("clientRetention is 9.223372036854776e+18 seconds; give it") {
                $0.clientRetention = .seconds(Int64.max)
            },
            Case(
                "restart.maximumDelay is 30.0 seconds, and restart.initialDelay is 31.0 seconds; make"
            ) { $0.restart.initialDelay = .seconds(31) },
            Case("restart.initialDelay is -1.0 seconds; give it a time from") {
                $0.restart.initialDelay = .seconds(-1)
            },
            Case("restart.factor is 0.99; give it a number from 1.0 to 1000.0") { $0.restart.factor = 0.99 },
            Case("restart.factor is inf; give it a number from 1.0 to 1000.0") { $0.restart.factor = .infinity },
            Case("restart.jitter is nan; give it a number from 0.0 to 1.0") { $0.restart.jitter = .nan },
            Case("restart.jitter is 1.5; give it a number from 0.0 to 1.0") { $0.restart.jitter = 1.5 },
            Case("restart.intensity.restarts is -1; give it 0 or more") { $0.restart.intensity.restarts = -1 },
            Case("restart.intensity.period is 0.0 seconds; give it a time from 0.001 seconds to") {
                $0.restart.intensity.period = .zero
            },
            Case("restart.stableTime is -1.0 seconds; give it a time from 0.0") {
                $0.restart.stableTime = .seconds(-1)
            },
            Case("restart.maximumAnsweredDeaths is -1; give it 0 or more") { $0.restart.maximumAnsweredDeaths = -1 },
            Case("restart.probeDelay is 0.0 seconds; give it a time from 0.001 seconds to") {
                $0.restart.probeDelay = .zero
            },
            Case("restart.maximumFailedStarts is -1; give it 0 or more") { $0.restart.maximumFailedStarts = -1 },
            Case("restart.bootTimeout is 0.0 seconds; give it a time from 0.001 seconds to") {
                $0.restart.bootTimeout = .zero
            },
            Case("limits.memoryBytes is 0; give it 1048576 or more, or leave it out") { $0.limits.memoryBytes = 0 },
        ]
    )
    func nonsenseIsRefused(nonsense: Case) async {
        let error = await error(of: nonsense)
        #expect(
            error?.message.hasPrefix("The coordinator's configuration is invalid: \(nonsense.message)") == true,
            "\(error?.message ?? "")"
        )
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
