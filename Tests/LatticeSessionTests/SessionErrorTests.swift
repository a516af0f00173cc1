import LatticeSession
import LatticeTransport
import LatticeWire
import Testing

/// The code and the whole message of each error, and the text that the other side receives. Other tests check the codes
/// only.
@Suite struct SessionErrorTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let error: SessionError
        let code: SessionError.Code
        let testDescription: String
        let detail: String

        /// Creates a row. The other side receives the message if there is no `detail`.
        init(_ error: SessionError, _ code: SessionError.Code, _ message: String, detail: String? = nil) {
            self.error = error
            self.code = code
            testDescription = message
            self.detail = detail ?? message
        }
    }

    @Test("Each error has its code and its message", arguments: openings + faults + goodbyes)
    func message(_ row: Row) {
        #expect(row.error.code == row.code)
        #expect(row.error.message == row.testDescription)
        #expect(row.error.detail == row.detail)
        #expect("\(row.error)" == row.testDescription)
    }

    private static let refusal = Refuse(code: .version, reason: "update it")

    static let openings: [Row] = [
        Row(
            .refused(by: "worker", refusal),
            .refused,
            "the worker refused this session: update it",
            detail: "update it"
        ),
        Row(.refusing(refusal), .refused, "this side refused the other side: update it", detail: "update it"),
        Row(
            .handshakeTimeout(.milliseconds(50)),
            .timeout,
            "the other side did not complete the handshake within 0.05 seconds; check that it is a Lattice program",
            detail: "the handshake was not complete within 0.05 seconds"
        ),
        Row(.busy("there is no room"), .overloaded, "there is no room"),
        Row(
            .foreign(7, servesUser: 8),
            .foreign,
            "the other side belongs to user 7",
            detail: "only programs of user 8 may connect here, and this one belongs to user 7"
        ),
        Row(
            .foreign(nil, servesUser: 8),
            .foreign,
            "the other side belongs to an unknown user",
            detail: "only programs of user 8 may connect here, and this one belongs to an unknown user"
        ),
        Row(.endedEarly, .transport, "the other side closed the connection before the handshake"),
        Row(
            .replaced,
            .replaced,
            """
            a newer session has the same identity and takes the place of this one; give each client an identity of \
            its own
            """
        ),
    ]

    static let faults: [Row] = [
        Row(
            .violation("It sent nonsense."),
            .violation,
            """
            the other side broke the protocol: It sent nonsense; build both programs from the same version of Lattice
            """,
            detail: "It sent nonsense."
        ),
        Row(
            .violation(.notOpen(9, .event)),
            .violation,
            """
            the other side broke the protocol: \(WireError.notOpen(9, .event)); build both programs from the same \
            version of Lattice
            """,
            detail: "\(WireError.notOpen(9, .event))"
        ),
        Row(
            .silent(.seconds(30)),
            .timeout,
            "the other side answered no ping for 30.0 seconds; it is suspended or hangs",
            detail: "no ping was answered for 30.0 seconds"
        ),
        Row(.transport(TransportError(code: .closed, message: "It is closed.")), .transport, "It is closed."),
        Row(
            .stateLost("journal", TransportError(code: .closed, message: "it is damaged")),
            .overloaded,
            """
            the state of "journal" cannot be sent, and the state before it cannot be decoded; it is damaged
            """
        ),
        Row(
            .slowReader(100),
            .overloaded,
            "the other side does not read: 100 bytes wait to be written, and no more are kept",
            detail: "100 bytes wait to be read, and no more are kept"
        ),
    ]

    static let goodbyes: [Row] = [
        Row(.goodbye(Goodbye(code: .shuttingDown, reason: "")), .shutDown, "the other side shut down"),
        Row(.goodbye(Goodbye(code: .shuttingDown, reason: "it is late")), .shutDown, "it is late"),
        Row(
            .goodbye(Goodbye(code: .violation, reason: "No.")),
            .goodbye,
            "the other side says that this side broke the protocol: No.",
            detail: "No."
        ),
        Row(.goodbye(Goodbye(code: .replaced, reason: "")), .replaced, "a newer session has the same identity"),
        Row(.goodbye(Goodbye(code: .replaced, reason: "it is newer")), .replaced, "it is newer"),
        Row(
            .goodbye(Goodbye(code: .timeout, reason: "it is slow")),
            .goodbye,
            "the other side ended the session: it is slow",
            detail: "it is slow"
        ),
    ]
}
