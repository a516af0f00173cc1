import Testing

@testable import LatticeCoding
@testable import LatticeWire

/// The code and the whole sentence of each violation, as people see them in a goodbye and in a log. The sentences of
/// `LatticeCoding` are in the tests of that module.
@Suite struct WireErrorTests {
    struct Sentence: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let error: WireError

        init(_ error: WireError, _ expected: String) {
            self.error = error
            testDescription = expected
        }

        init(of error: CBORError, _ expected: String) {
            self.init(WireError(error), expected)
        }
    }

    static let all: [Sentence] = [frames, messages, parts, sessions, calls, fields, changes].flatMap { $0 }

    @Test(arguments: all)
    func sentence(_ sentence: Sentence) {
        #expect(sentence.error.description == sentence.testDescription)
    }

    @Test(
        "A fault in the bytes of a message becomes a violation with a code and the same sentence",
        arguments: [
            (.malformed, .malformedBody), (.duplicate, .duplicateField), (.unexpected, .badField),
            (.missing, .missingField), (.tooLarge, .tooLarge),
        ] as [(CBORError.Code, WireError.Code)]
    )
    func codes(of fault: CBORError.Code, code: WireError.Code) {
        let error = WireError(CBORError(fault, "It is wrong."))
        #expect(error.code == code)
        #expect(error.sentence == "It is wrong.")
    }

    static let frames = [
        Sentence(
            .emptyBody(kind: 5),
            "A frame of kind 5 has an empty body; a body has at least 1 byte. [badLength]"
        ),
        Sentence(
            .frameTooLarge(kind: 33, actual: 65_537, maximum: 65_536),
            "A frame of kind 33 announces a body of 65537 bytes; 65536 are allowed here. [tooLarge]"
        ),
        Sentence(
            .unknownFlags(4, kind: 5),
            "A frame of kind 5 has the flags 4; only bits 0 and 1 have a meaning. [badFlags]"
        ),
        Sentence(.reservedByte(1, kind: 5), "Byte 7 of a frame of kind 5 is 1; it must be 0. [reservedByte]"),
        Sentence(
            .chunkedControl(.ping),
            "A frame of kind ping says that more chunks follow; only data messages have chunks. [badFlags]"
        ),
        Sentence(
            .unknownKind(99),
            "Kind 99 is not known to version 1 and its frame is not skippable. [unknownKind]"
        ),
        Sentence(
            .badChannel(3, kind: .ping),
            "A message of kind ping came on channel 3; it belongs on channel 0. [badChannel]"
        ),
        Sentence(
            .badChannel(0, kind: .event),
            "A message of kind event came on channel 0; it belongs on the channel of a feature. [badChannel]"
        ),
        Sentence(
            .channelOutOfOrder(7, after: 7),
            "An open names channel 7 after channel 7; each open names a higher number than all before it. [outOfOrder]"
        ),
        Sentence(
            .beforeHandshake(kind: 32),
            "A frame of kind 32 came before the handshake was done; nothing else may come first. [handshake]"
        ),
        Sentence(
            .repeatedHandshake(.hello),
            "A message of kind hello came after the handshake was done. [handshake]"
        ),
    ]

    static let messages = [
        Sentence(
            .interleavedChunk(.event, inside: .state, channel: 7),
            "A frame of kind event came on channel 7 before the last chunk of a message of kind state. [outOfOrder]"
        ),
        Sentence(
            .messageTooLarge(.state, actual: 11, maximum: 10),
            "A message of kind state has at least 11 bytes; 10 are allowed. [tooLarge]"
        ),
        Sentence(
            .assemblyTooLarge(actual: 11, maximum: 10),
            "The unfinished messages of a session take 11 bytes; 10 are allowed. [tooLarge]"
        ),
        Sentence(
            .tooManyAssemblies(maximum: 2),
            "A session has more than 2 unfinished messages at the same time. [tooLarge]"
        ),
    ]

    static let parts = [
        Sentence(
            .payloadTooLarge(.state, actual: 11, maximum: 10),
            "A message of kind state announces a payload of 11 bytes in parts; 10 are allowed here. [tooLarge]"
        ),
        Sentence(
            .partWithoutBeginning(channel: 7),
            "A part came on channel 7, and no message there has begun a payload in parts. [outOfOrder]"
        ),
        Sentence(
            .messageInsideParts(.event, of: .state, channel: 7),
            "A message of kind event came on channel 7 before the last part of a payload of kind state. [outOfOrder]"
        ),
        Sentence(
            .partsTooLong(actual: 11, announced: 10, channel: 7),
            "The parts on channel 7 have at least 11 bytes; 10 were announced. [tooLarge]"
        ),
        Sentence(
            .creditExceeded(actual: 11, granted: 10, channel: 7),
            "The parts on channel 7 have 11 bytes so far; there is credit for 10. [tooLarge]"
        ),
    ]

    static let sessions = [
        Sentence(
            .channelOfOtherSide(2, opener: .initiator),
            "An open names channel 2; the side that began the session opens channels with odd numbers. [outOfOrder]"
        ),
        Sentence(
            .channelOfOtherSide(3, opener: .acceptor),
            "An open names channel 3; the side that accepted the session opens channels with even numbers. [outOfOrder]"
        ),
        Sentence(
            .unexpected(.event, at: "a client"),
            "A message of kind event arrived at a client, which accepts no message of this kind. [outOfOrder]"
        ),
        Sentence(
            .notOpen(9, .event),
            "A message of kind event came on channel 9, which is not open. [outOfOrder]"
        ),
        Sentence(.session("It is too late."), "It is too late. [outOfOrder]"),
        Sentence(
            .sharedAssemblyTooLarge(actual: 8, maximum: 9),
            """
            The unfinished messages of all sessions take more than 9 bytes, and of these this session has the most, 8. \
            [tooLarge] (cause: Spent())
            """
        ),
    ]

    static let calls = [
        Sentence(
            .callOutOfOrder(4, after: 5),
            "A call has the number 4 after 5; each has a higher one than all before it. [outOfOrder]"
        ),
        Sentence(.unknownCall(1), "An answer names call 1, which was never made. [outOfOrder]"),
        Sentence(.creditForUnknownCall(1), "A credit names call 1, which never came. [outOfOrder]"),
        Sentence(
            .elementsBeforeStream(1),
            "The first elements of call 1 have to be empty, and all later ones must not be. [outOfOrder]"
        ),
        Sentence(
            .elementsWithoutCredit(1),
            "Elements arrived for call 1 without credit; the elements before them used all of it. [tooLarge]"
        ),
        Sentence(
            .tooManyCancels(1),
            "A cancel names call 1, which has not arrived; too many such cancels wait for their calls. [tooLarge]"
        ),
    ]

    static let fields = [
        Sentence(
            of: .unsortedKey(1, after: 2, in: "ping"),
            "Key 1 of ping comes after key 2; keys ascend. [malformedBody]"
        ),
        Sentence(of: .missing("number", in: "ping"), "ping lacks its field 'number'. [missingField]"),
        Sentence(of: .duplicate(key: 1, in: "ping"), "Key 1 occurs twice in ping. [duplicateField]"),
        Sentence(of: .badValue(9, field: "role"), "The field 'role' has the value 9, which has no meaning. [badField]"),
        Sentence(
            of: .badRange(minimum: 2, maximum: 1),
            "The lowest version 2 is above the highest version 1. [badField]"
        ),
        Sentence(
            of: .fieldTooLarge("token", actual: 65, maximum: 64),
            "The field 'token' has the size 65; at most 64 is allowed. [tooLarge]"
        ),
        Sentence(
            of: .fieldTooSmall("token", actual: 0, minimum: 1),
            "The field 'token' has the size 0; at least 1 is needed. [badField]"
        ),
        Sentence(of: .emptyField("feature"), "The field 'feature' is empty. [badField]"),
        Sentence(
            of: .emptyVariant("cause"),
            "The field 'cause' is an array without the number of its case. [missingField]"
        ),
        Sentence(
            WireError(.badField, "No.", cause: WireError(.tooLarge, "Big.")),
            "No. [badField] (cause: Big. [tooLarge])"
        ),
    ]

    static let changes = [
        Sentence(of: .badOperation(at: 3), "The array at byte 3 is neither a change nor a piece of one. [badField]"),
        Sentence(of: .emptyChange(at: 3), "The change at byte 3 has an empty part. [badField]"),
        Sentence(
            of: .noSuchEntry(at: 3),
            "The change at byte 3 applies to an entry that does not exist. [badField]"
        ),
        Sentence(
            of: .repeatedElement(7, at: 3),
            "The element 7 is in two pieces of the array at byte 3. [badField]"
        ),
        Sentence(
            of: .noSuchElement(7, count: 7, at: 3),
            "The pieces at byte 3 take the element 7 of an array that has 7 elements. [badField]"
        ),
        Sentence(
            of: .unlikeChanges(at: 3),
            "The change at byte 3 changes a map as an array, or an array as a map. [badField]"
        ),
        Sentence(
            of: .unsortedKeys(at: 3),
            "The key at byte 3 sorts before the one in front of it; keys ascend. [malformedBody]"
        ),
        Sentence(of: .repeatedKey(at: 3), "The key at byte 3 occurs twice in its map. [duplicateField]"),
        Sentence(
            of: .changeTooLarge(7, maximum: 6),
            "The result of the change has 7 bytes; at most 6 are allowed. [tooLarge]"
        ),
    ]
}
