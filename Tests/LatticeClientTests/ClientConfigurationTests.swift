import LatticeClient
import Testing

struct ClientConfigurationTests {
    struct Case: Sendable {
        let setting: String
        /// The numbers and names that the error has to contain.
        let facts: [String]
        let change: @Sendable (inout ClientConfiguration) -> Void

        init(_ setting: String, _ facts: String..., change: @escaping @Sendable (inout ClientConfiguration) -> Void) {
            self.setting = setting
            self.facts = facts
            self.change = change
        }
    }

    @Test(
        "Settings that make no sense are refused with an explanation (F78)",
        arguments: [
            Case("connectTimeout", "0.0 seconds", "0.001 seconds") { $0.connectTimeout = .zero },
            Case("openTimeout", "-1.0 seconds", "0.001 seconds") { $0.openTimeout = .seconds(-1) },
            Case("openTimeout", "9.223372036854776e+18 seconds") {
                $0.openTimeout = .seconds(Int64.max)
            },
            Case("heartbeatInterval", "0.0 seconds", "0.01 seconds") {
                $0.heartbeatInterval = .zero
            },
            Case("heartbeatTimeout", "0.999 seconds", "heartbeatInterval", "1.0 seconds") {
                $0.heartbeatTimeout = .milliseconds(999)
            },
            Case("deadlineGrace", "-1.0 seconds", "0.0 seconds") { $0.deadlineGrace = .seconds(-1) },
            Case("closeTimeout", "-1.0 seconds", "0.0 seconds") { $0.closeTimeout = .seconds(-1) },
            Case("reconnect.initialDelay", "0.0 seconds") { $0.reconnect.initialDelay = .zero },
            Case("reconnect.maximumDelay", "0.049 seconds", "reconnect.initialDelay", "0.05 seconds") {
                $0.reconnect.maximumDelay = .milliseconds(49)
            },
            Case("reconnect.factor", "0.5", "1.0", "1000.0") { $0.reconnect.factor = 0.5 },
            Case("reconnect.factor", "nan", "1.0", "1000.0") { $0.reconnect.factor = .nan },
            Case("reconnect.timeout", "-1.0 seconds", "0.0") { $0.reconnect.timeout = .seconds(-1) },
        ]
    )
    func nonsenseIsRefused(nonsense: Case) async {
        var configuration = ClientConfiguration()
        nonsense.change(&configuration)
        let error = await #expect(throws: ClientError.self) {
            try await withClient(connectingTo: "/tmp/lattice-nobody/s", configuration: configuration) { _ in }
        }
        #expect(error?.code == .invalid)
        let message = error?.message ?? ""
        for fact in [nonsense.setting] + nonsense.facts { #expect(message.contains(" \(fact)"), "\(message)") }
    }

    @Test(
        arguments: [
            Case("never") { $0.reconnect = .never },
            Case("at once") { $0.closeTimeout = .zero },
            Case("equal") { $0.heartbeatTimeout = .seconds(1) },
            Case("often") { $0.heartbeatInterval = .milliseconds(10) },
        ]
    )
    func validSettingsAreAccepted(sense: Case) async {
        var configuration = ClientConfiguration()
        sense.change(&configuration)
        let error = await #expect(throws: ClientError.self) {
            try await withClient(connectingTo: "/tmp/lattice-nobody/s", configuration: configuration) { _ in }
        }
        #expect(error?.code == .connecting)
    }
}
