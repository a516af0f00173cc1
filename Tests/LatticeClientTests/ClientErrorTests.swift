import LatticeCore
import LatticeSession
import LatticeTransport
import LatticeWire
import Testing

@testable import LatticeClient

/// The code and the whole message of each error. Other tests check the codes only.
@Suite struct ClientErrorTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let error: ClientError
        let code: ClientError.Code
        let testDescription: String

        init(_ error: ClientError, _ code: ClientError.Code, _ message: String) {
            self.error = error
            self.code = code
            testDescription = message
        }
    }

    @Test("Each error has its code, and a message that says what to do", arguments: connections + features)
    func message(_ row: Row) {
        #expect(row.error.code == row.code)
        #expect(row.error.message == row.testDescription)
        #expect("\(row.error)" == row.testDescription)
    }

    private static let unsafe = TransportError(code: .unsafePath, message: "/run/s is not a socket. Remove it.")

    static let connections: [Row] = [
        Row(
            .connecting("/run/s", unsafe),
            .connecting,
            "The client cannot connect to \"/run/s\". /run/s is not a socket. Remove it."
        ),
        Row(
            .noPlace(unsafe),
            .connecting,
            "The directory for sockets cannot be used. /run/s is not a socket. Remove it."
        ),
        Row(
            .refused("/run/s", SessionError.busy("there is no room")),
            .refused,
            "The coordinator at \"/run/s\" refused this client: there is no room"
        ),
        Row(
            .silent("/run/s", process: 8, .milliseconds(100)),
            .silent,
            """
            The coordinator at "/run/s", process 8, has not answered within 0.1 seconds. It is suspended or \
            hangs. Resume it (kill -CONT), or kill it and start it again.
            """
        ),
        Row(
            .silent("/run/s", process: nil, .seconds(5)),
            .silent,
            """
            The coordinator at "/run/s" has not answered within 5.0 seconds. It is suspended or hangs. Resume it \
            (kill -CONT), or kill it and start it again.
            """
        ),
        Row(.gaveUp(.unstable, "the coordinator is gone"), .unstable, "The coordinator is gone."),
        Row(.gaveUp(.refused, "the coordinator is full. Wait."), .refused, "The coordinator is full. Wait."),
        Row(
            .invalid(ConfigurationError(message: "openTimeout is 0.0 seconds")),
            .invalid,
            "The client's configuration is invalid: openTimeout is 0.0 seconds"
        ),
    ]

    static let features: [Row] = [
        Row(
            .notOpened("journal", "/run/s", .milliseconds(100), .connecting),
            .silent,
            """
            The coordinator at "/run/s" has not opened "journal" within 0.1 seconds. Its status is: connecting. Look \
            into its log, or try again later.
            """
        ),
        Row(.notServed("journal", "why"), .notServed, "The coordinator does not serve \"journal\": why"),
        Row(
            ClientError("journal", ChannelEnd(reason: "why", refusal: .unavailable)),
            .workerFailed,
            "No worker serves \"journal\": why"
        ),
        Row(
            ClientError("journal", ChannelEnd(reason: "why", refusal: .tooMany)),
            .tooMany,
            "The feature \"journal\" was not opened: why"
        ),
        Row(
            .instance(256, 255),
            .instance,
            "The instance key has 256 bytes, and the maximum is 255. Choose a shorter one."
        ),
    ]

    @Test(
        "A channel that was not opened for another reason is not served",
        arguments: [nil, .unknownFeature, .schema, OpenRefusalCode(rawValue: 99)] as [OpenRefusalCode?]
    )
    func otherRefusals(refusal: OpenRefusalCode?) {
        #expect(ClientError("journal", ChannelEnd(reason: "why", refusal: refusal)) == .notServed("journal", "why"))
    }

    @Test(
        "A reason that names the feature is the whole message",
        arguments: [OpenRefusalCode.unknownFeature, .schema]
    )
    func completeReasons(refusal: OpenRefusalCode) {
        let end = ChannelEnd(reason: "The coordinator does not host \"journal\".", refusal: refusal)
        let error = ClientError("journal", end)
        #expect(error.code == .notServed)
        #expect(error.message == end.reason)
    }

    @Test("Errors that another error caused have it as their cause, which is ignored when errors are compared")
    func causes() {
        for error in [ClientError.connecting("/run/s", Self.unsafe), .noPlace(Self.unsafe)] {
            #expect((error.cause as? TransportError)?.code == .unsafePath)
        }
        let refused = ClientError.refused("/run/s", SessionError.busy("full"))
        #expect((refused.cause as? SessionError)?.code == .overloaded)
        let gaveUp = ClientError.gaveUp(.connecting, "It is gone.", cause: Self.unsafe)
        #expect(gaveUp == .gaveUp(.connecting, "It is gone."))
    }
}
