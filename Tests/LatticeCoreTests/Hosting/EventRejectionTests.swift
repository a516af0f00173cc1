import LatticeCore
import Testing

/// The code and the whole reason of each rejection, and the texts of unknown outcomes. Other tests check the codes
/// only.
@Suite struct EventRejectionTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let rejection: EventRejection
        let code: String
        let testDescription: String

        init(_ rejection: EventRejection, _ code: String, _ reason: String) {
            self.rejection = rejection
            self.code = code
            testDescription = reason
        }
    }

    static let rows: [Row] = [
        Row(
            .overloaded,
            "overloaded",
            "A queue on the way to the interactor is full. Send the event again when earlier events have ended."
        ),
        Row(
            .quarantined,
            "quarantined",
            """
            The event ended two workers. Each of them crashed, hung or exceeded a limit while it handled the event. \
            Fix the cause, then send it again or retry it from the coordinator's quarantine.
            """
        ),
        Row(
            .undecodable,
            "undecodable",
            "The bytes are not an action of this feature. Build both ends from the same source."
        ),
        Row(
            .closed,
            "closed",
            "The feature is not open here. Look at hostStatus, and open the feature again if it was closed."
        ),
        Row(
            .deadlinePassed,
            "deadline passed",
            "The deadline passed before the event was applied. Send it with a later deadline."
        ),
        Row(.schema, "schema", "The two ends have different schemas of this feature. Update the older one."),
        Row(
            .tooLarge,
            "too large",
            "The action exceeds the maximum size of a message. Put large data into a file and send its name."
        ),
        Row(EventRejection(code: .declined, reason: "No."), "declined", "No."),
        Row(.closed.with(reason: "The program stops."), "closed", "The program stops."),
    ]

    @Test("Each rejection has its code, and a reason that says what to do", arguments: rows)
    func reason(_ row: Row) {
        #expect("\(row.rejection.code)" == row.code)
        #expect(row.rejection.reason == row.testDescription)
        #expect("\(row.rejection)" == "\(row.code): \(row.testDescription)")
    }

    @Test func anUnknownOutcomeIsDescribedByItsReason() {
        let unknown = UnknownOutcome(reason: "The connection was lost.")
        #expect("\(unknown)" == "The connection was lost.")
        #expect("\(EventOutcome.unknown(unknown))" == "unknown: The connection was lost.")
    }
}
