/// A violation of the protocol, found in bytes from the other end of a session or in bytes meant for it.
///
/// A violation ends the session in which it was found, with a `Goodbye` that carries ``sentence``. It never ends the
/// process.
package struct WireError: Error, Sendable, CustomStringConvertible {
    /// The class of a violation. The names are part of the protocol, because the table of invalid inputs uses them.
    package struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name of the class, as in the specification and the vectors.
        package let description: String

        /// A frame with a length that no frame can have.
        package static let badLength = Code(description: "badLength")
        /// A frame, a message or a field over its limit.
        package static let tooLarge = Code(description: "tooLarge")
        /// A kind that this version does not know, in a frame that is not skippable.
        package static let unknownKind = Code(description: "unknownKind")
        /// A flag bit without a meaning, or a flag that this kind of message cannot have.
        package static let badFlags = Code(description: "badFlags")
        /// A message of the session on a feature's channel, or the reverse.
        package static let badChannel = Code(description: "badChannel")
        /// A reserved byte of the header that is not zero.
        package static let reservedByte = Code(description: "reservedByte")
        /// A body that is not well-formed CBOR, or not in the deterministic form.
        package static let malformedBody = Code(description: "malformedBody")
        /// A required field that is absent.
        package static let missingField = Code(description: "missingField")
        /// A key that occurs twice in one map.
        package static let duplicateField = Code(description: "duplicateField")
        /// A field of another type, or with a value outside its range.
        package static let badField = Code(description: "badField")
        /// A frame that may not arrive at this point.
        package static let outOfOrder = Code(description: "outOfOrder")
        /// A message other than the handshake's before the handshake is complete.
        package static let handshake = Code(description: "handshake")
    }

    /// The class of the violation.
    package let code: Code
    /// One sentence that says what is wrong, with the numbers that show it.
    package let sentence: String
    /// The error that led to this one, if there is one.
    package let cause: (any Error)?

    /// Creates a violation.
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
