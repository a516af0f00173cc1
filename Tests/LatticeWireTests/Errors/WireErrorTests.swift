import Testing

@testable import LatticeCoding
@testable import LatticeWire

/// Word for word: these sentences are what people see in a goodbye and in a log.
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

    @Test(arguments: frames + messages + bodies + fields + changes)
    func sentence(_ sentence: Sentence) {
        #expect(sentence.error.description == sentence.testDescription)
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

    static let bodies = [
        Sentence(
            of: .truncated(at: 3, needed: 9, remaining: 2),
            "The value at byte 3 needs 9 more bytes; 2 are left. [malformedBody]"
        ),
        Sentence(
            of: .countTooLarge(1_000, at: 0, remaining: 4),
            "The header at byte 0 announces 1000 elements; the 4 bytes left cannot hold them. [malformedBody]"
        ),
        Sentence(of: .notShortest(at: 1), "The head at byte 1 is longer than its value needs. [malformedBody]"),
        Sentence(of: .reservedHead(28, at: 1), "The byte 28 at 1 begins no value. [malformedBody]"),
        Sentence(
            of: .indefinite(at: 0),
            "The value at byte 0 has no length; lengths are written first. [malformedBody]"
        ),
        Sentence(
            of: .tooDeep(at: 128, maximum: 128),
            "The value at byte 128 is nested deeper than 128 levels. [malformedBody]"
        ),
        Sentence(of: .invalidUTF8(at: 4), "The text at byte 4 is not UTF-8. [malformedBody]"),
        Sentence(of: .trailingBytes(2, at: 9), "2 bytes follow the end of the value at byte 9. [malformedBody]"),
        Sentence(
            of: .unsortedKey(1, after: 2, in: "ping"),
            "Key 1 of ping comes after key 2; keys ascend. [malformedBody]"
        ),
    ]

    static let fields = [
        Sentence(
            of: .wrongType(.text, expected: "a map", at: 0),
            "The value at byte 0 is a text string, not a map. [badField]"
        ),
        Sentence(
            of: .outOfRange("70000", maximum: "65535", at: 2),
            "The number 70000 at byte 2 is outside the range up to 65535. [badField]"
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
        Sentence(of: .emptyField("feature"), "The field 'feature' is empty. [badField]"),
        Sentence(
            of: .emptyVariant("cause"),
            "The field 'cause' is an array without the number of its case. [missingField]"
        ),
        Sentence(
            of: .duplicateKey("a", at: 4),
            "The key 'a' at byte 4 occurs twice in its map. [duplicateField]"
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
