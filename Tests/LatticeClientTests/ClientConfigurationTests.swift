import LatticeClient
import Testing

struct ClientConfigurationTests {
    struct Case: Sendable {
        let message: String
        let change: @Sendable (inout ClientConfiguration) -> Void

        init(_ message: String, _ change: @escaping @Sendable (inout ClientConfiguration) -> Void) {
            self.message = message
            self.change = change
        }
    }

    @Test(
        "Settings that make no sense are refused with an explanation (F78)",
        arguments: [
            Case("connectTimeout is 0.0 seconds; give it a time from 0.001 seconds to") { $0.connectTimeout = .zero },
            Case("openTimeout is -1.0 seconds; give it a time from 0.001 seconds to") { $0.openTimeout = .seconds(-1) },
            Case("openTimeout is 9.223372036854776e+18 seconds; give it a time from") {
                $0.openTimeout = .seconds(Int64.max)
            },
            Case("heartbeatInterval is 0.0 seconds; give it a time from 0.01 seconds to") {
                $0.heartbeatInterval = .zero
            },
            Case("heartbeatTimeout is 0.999 seconds, and heartbeatInterval is 1.0 seconds; make heartbeatTimeout") {
                $0.heartbeatTimeout = .milliseconds(999)
            },
            Case("closeTimeout is -1.0 seconds; give it a time from 0.0 seconds to") { $0.closeTimeout = .seconds(-1) },
            Case("reconnect.initialDelay is 0.0 seconds; give it a time from") { $0.reconnect.initialDelay = .zero },
            Case("reconnect.maximumDelay is 0.049 seconds, and reconnect.initialDelay is 0.05 seconds; make") {
                $0.reconnect.maximumDelay = .milliseconds(49)
            },
            Case("reconnect.factor is 0.5; give it a number from 1.0 to 1000.0") { $0.reconnect.factor = 0.5 },
            Case("reconnect.factor is nan; give it a number from 1.0 to 1000.0") { $0.reconnect.factor = .nan },
            Case("reconnect.timeout is -1.0 seconds; give it a time from 0.0") { $0.reconnect.timeout = .seconds(-1) },
        ]
    )
    func nonsenseIsRefused(nonsense: Case) async {
        var configuration = ClientConfiguration()
        nonsense.change(&configuration)
        let error = await #expect(throws: ClientError.self) {
            try await withClient(connectingTo: "/tmp/lattice-nobody/s", configuration: configuration) { _ in }
        }
        #expect(error?.code == .invalid)
        #expect(
            error?.message.hasPrefix("The client's configuration is invalid: \(nonsense.message)") == true,
            "\(error?.message ?? "")"
        )
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
