/// What is wrong with bytes that came from, or were meant for, the other end of a session.
///
/// A violation ends the session it was found in, with a `Goodbye` that carries ``sentence``; it never ends the process.
package struct WireError: Error, Sendable, CustomStringConvertible {
    /// The class of the violation. The names are part of the protocol: the table of invalid inputs uses them.
    package struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name that specification and vectors use.
        package let description: String

        /// A frame with a length that no frame can have.
        package static let badLength = Code(description: "badLength")
        /// A frame, a message or a field over its limit.
        package static let tooLarge = Code(description: "tooLarge")
        /// A kind that this version does not know, in a frame that is not skippable.
        package static let unknownKind = Code(description: "unknownKind")
        /// A flag bit that has no meaning, or one that this kind may not carry.
        package static let badFlags = Code(description: "badFlags")
        /// A message of the session on a feature's channel, or the other way round.
        package static let badChannel = Code(description: "badChannel")
        /// The reserved byte of the header is not zero.
        package static let reservedByte = Code(description: "reservedByte")
        /// Not well-formed CBOR, or not in the deterministic form.
        package static let malformedBody = Code(description: "malformedBody")
        /// A field that the message needs is not there.
        package static let missingField = Code(description: "missingField")
        /// A key that occurs twice in one map.
        package static let duplicateField = Code(description: "duplicateField")
        /// A field of another type, or with a value outside its range.
        package static let badField = Code(description: "badField")
        /// A frame that may not come at this place.
        package static let outOfOrder = Code(description: "outOfOrder")
        /// Something other than the handshake before the handshake is done.
        package static let handshake = Code(description: "handshake")
    }

    /// The class of the violation.
    package let code: Code
    /// What is wrong, with the numbers that show it. One sentence.
    package let sentence: String
    /// The error that led to this one, if another one did.
    package let cause: (any Error)?

    package init(_ code: Code, _ sentence: String, cause: (any Error)? = nil) {
        self.code = code
        self.sentence = sentence
        self.cause = cause
    }

    package var description: String {
        guard let cause else { return "\(sentence) [\(code)]" }
        return "\(sentence) [\(code)] (cause: \(cause))"
    }
}
