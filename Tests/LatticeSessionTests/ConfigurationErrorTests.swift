import LatticeSession
import Testing

/// The whole message of each check that the configurations have in common. Other tests check the name of the setting
/// and the numbers only.
@Suite struct ConfigurationErrorTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let check: @Sendable () throws -> Void

        init(_ message: String, _ check: @escaping @Sendable () throws -> Void) {
            testDescription = message
            self.check = check
        }
    }

    static let rows: [Row] = [
        Row("openTimeout is 0.0 seconds; give it a time from 0.001 seconds to 31622400.0 seconds") {
            try Settings.check("openTimeout", .zero)
        },
        Row("heartbeatInterval is 0.001 seconds; give it a time from 0.01 seconds to 31622400.0 seconds") {
            try Settings.checkHeartbeat(interval: .milliseconds(1), timeout: .seconds(1))
        },
        Row(
            """
            heartbeatTimeout is 1.0 seconds, and heartbeatInterval is 2.0 seconds; make heartbeatTimeout at least as \
            long
            """
        ) {
            try Settings.checkHeartbeat(interval: .seconds(2), timeout: .seconds(1))
        },
        Row("restart.factor is 0.5; give it a number from 1.0 to 1000.0") {
            try Settings.check("restart.factor", factor: 0.5)
        },
        Row("restart.jitter is 2.0; give it a number from 0.0 to 1.0") {
            try Settings.check("restart.jitter", number: 2, 0...1)
        },
        Row("restart.maximumFailedStarts is -1; give it 0 or more") {
            try Settings.check("restart.maximumFailedStarts", count: -1)
        },
    ]

    @Test("Each setting that is out of range is named with its value and the values that are allowed", arguments: rows)
    func message(_ row: Row) {
        let error = #expect(throws: ConfigurationError.self) { try row.check() }
        #expect(error?.message == row.testDescription)
    }
}
