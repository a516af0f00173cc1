import LatticeCalls
import LatticeWire
import Testing

@testable import LatticeActors

/// The code, the delivery and the whole message of each error. Other tests check the codes only.
@Suite struct ActorCallErrorTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let error: ActorCallError
        let code: ActorCallError.Code
        let delivery: ActorCallError.Delivery
        let testDescription: String

        init(
            _ error: ActorCallError,
            _ code: ActorCallError.Code,
            _ delivery: ActorCallError.Delivery,
            _ message: String
        ) {
            self.error = error
            self.code = code
            self.delivery = delivery
            testDescription = message
        }

        /// A row for the error that a reply to the call "Desk.add()" becomes.
        init(
            _ reply: ReplyCode,
            hasBegun: Bool = false,
            _ code: ActorCallError.Code,
            _ delivery: ActorCallError.Delivery,
            _ message: String
        ) {
            let received = CallFailure(reply, "why", type: "Failure", mayHaveBegun: hasBegun)
            self.init(ActorCallError(received, "Desk.add()"), code, delivery, message)
        }
    }

    @Test("Each error has its code, and a message that says what to do", arguments: results + replies)
    func message(_ row: Row) {
        #expect(row.error.code == row.code)
        #expect(row.error.delivery == row.delivery)
        #expect(row.error.message == row.testDescription)
    }

    private struct Cause: Error {}

    private static let id = LatticeActorID(node: NodeID(1), number: 1, name: nil, incarnation: 0, process: "test")

    static let results: [Row] = [
        Row(
            .cancelledThere("Desk.add()", id),
            .cancelled,
            .mayHaveBegun,
            """
            Desk.add() was cancelled in its own process, which is about to end, or by itself; call it again if that \
            does no harm
            """
        ),
        Row(
            .undecodableResult("Desk.add()", Cause()),
            .undecodable,
            .mayHaveBegun,
            "Desk.add() has ended, but its result cannot be decoded; build both programs from the same source"
        ),
        Row(.unencodable(Cause()), .unencodable, .notSent, "an argument cannot be encoded"),
    ]

    static let replies: [Row] = [
        Row(
            ReplyCode.failed,
            .threw,
            .mayHaveBegun,
            """
            Desk.add() threw an error of the type Failure, which is not registered; register the type on both sides
            """
        ),
        Row(
            ReplyCode.unencodable,
            .unencodable,
            .mayHaveBegun,
            "Desk.add() has ended, but its result cannot be sent: why"
        ),
        Row(
            ReplyCode.cancelled,
            .cancelled,
            .notSent,
            """
            Desk.add() was cancelled, and its method did not end in time; have the method check whether its task is \
            cancelled
            """
        ),
        Row(ReplyCode.tooLarge, .tooLarge, .notSent, "Desk.add(): why"),
        Row(
            ReplyCode.noActor,
            .unknownActor,
            .notSent,
            "Desk.add(): why; look for the actor by its name again, and repeat the call"
        ),
        Row(
            ReplyCode.lost,
            hasBegun: true,
            .lost,
            .mayHaveBegun,
            "Desk.add(): why; look for the actor by its name again, and repeat the call, if that does no harm"
        ),
        Row(
            ReplyCode.noNode,
            .unknownProcess,
            .notSent,
            "Desk.add(): why; look for the actor by its name again, when there is a connection to the coordinator"
        ),
        Row(
            ReplyCode.deadline,
            .deadlinePassed,
            .notSent,
            "Desk.add(): why; give it more time, or find out what keeps its process busy"
        ),
        Row(ReplyCode.noMethod, .unknownMethod, .notSent, "Desk.add(): why"),
        Row(ReplyCode.undecodable, .undecodable, .notSent, "Desk.add(): why"),
        Row(ReplyCode.overloaded, .overloaded, .notSent, "Desk.add(): why"),
        Row(ReplyCode.noName, .unknownName, .notSent, "Desk.add(): why"),
        Row(ReplyCode.refused, .refused, .notSent, "Desk.add(): why"),
        Row(ReplyCode(rawValue: 200), .refused, .notSent, "Desk.add(): why"),
    ]

    @Test("The description has the code, the delivery and the cause")
    func description() {
        let error = ActorCallError.unencodable(Cause())
        #expect("\(error)" == "an argument cannot be encoded [unencodable, notSent] (cause: Cause())")
        #expect(error.cause is Cause)
        let refused = ActorCallError(CallFailure(.refused, "why"), "Desk.add()")
        #expect("\(refused)" == "Desk.add(): why [refused, notSent]")
    }

    @Test("An error that a method threw keeps the name of its type, and a cancelled one its actor")
    func details() {
        let threw = ActorCallError(CallFailure(.failed, type: "Failure"), "Desk.add()")
        #expect(threw.errorType == "Failure")
        let silent = ActorCallError(CallFailure(.refused), "Desk.add()")
        #expect(silent.message == "Desk.add(): no reason was given")
        #expect(ActorCallError.cancelledThere("Desk.add()", Self.id).actor == Self.id)
    }
}
