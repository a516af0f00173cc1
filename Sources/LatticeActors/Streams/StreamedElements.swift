import LatticeCoding
import LatticeSession
import LatticeWire

/// Thrown in place of an encoded value by what is not one: the elements with which a call is answered.
///
/// So it costs nothing to find out, for each result, that it is no stream.
struct StreamedElements: Error, CustomStringConvertible {
    /// An element that is not sent, and ends the stream.
    struct Unsendable: Error {
        let reply: ActorReply
    }

    /// Hands on all elements, encoded, in order.
    let send: @Sendable (_ element: ([UInt8]) async throws -> Void) async throws -> Void

    /// What is said where a stream is part of something.
    var description: String { Self.misplacedSentence }

    private static let misplacedSentence =
        "a stream is the result of a method of an actor of the process that answers, and nothing else"

    static let misplaced = Unsendable(
        reply: ActorReply(call: 0, code: .unencodable, reason: misplacedSentence, mayHaveBegun: true)
    )

    static func encoded<Element: Encodable>(_ element: Element) throws -> [UInt8] {
        let bytes: [UInt8]
        do {
            bytes = try CBOREncoder().encode(element)
        } catch {
            let reason = "an element of the stream: \(CodingFailure.sentence(error))"
            throw Unsendable(reply: ActorReply(call: 0, code: .unencodable, reason: reason, mayHaveBegun: true))
        }
        guard bytes.count <= CallLimits.maximumElement else {
            let reason =
                "an element of the stream has \(bytes.count) bytes, and at most \(CallLimits.maximumElement) are sent; divide"
                + " it into several"
            throw Unsendable(reply: ActorReply(call: 0, code: .tooLarge, reason: reason, mayHaveBegun: true))
        }
        return bytes
    }
}

extension StreamedElements.Unsendable: CustomStringConvertible {
    var description: String { reply.reason ?? "" }
}
