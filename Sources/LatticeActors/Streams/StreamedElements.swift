import LatticeCalls
import LatticeCoding
import LatticeWire

/// The elements of a stream, which `ActorStream` throws instead of encoding a value.
///
/// Throwing makes the check free for all other results: a result that encodes without an error is not a stream.
struct StreamedElements: Error, CustomStringConvertible {
    /// The error of an element that cannot be sent. It ends the stream.
    struct Unsendable: Error {
        let failure: CallFailure
    }

    /// Sends all elements, encoded and in order.
    let send: @Sendable (_ element: ([UInt8]) async throws -> Void) async throws -> Void

    /// The message for a stream in a place where no stream is allowed.
    var description: String { Self.misplacedSentence }

    private static let misplacedSentence =
        "a stream can only be the result of a method, and be created in the process of that method's actor"

    static let misplaced = Unsendable(
        failure: CallFailure(.unencodable, misplacedSentence, mayHaveBegun: true)
    )

    static func encoded<Element: Encodable>(_ element: Element) throws -> [UInt8] {
        let bytes: [UInt8]
        do {
            bytes = try CBOREncoder().encode(element)
        } catch {
            let reason = "an element of the stream: \(CodingFailure.sentence(error))"
            throw Unsendable(failure: CallFailure(.unencodable, reason, mayHaveBegun: true))
        }
        guard bytes.count <= CallLimits.maximumElement else {
            let reason =
                "an element of the stream has \(bytes.count) bytes, and at most \(CallLimits.maximumElement) are sent;"
                + " divide it into several"
            throw Unsendable(failure: CallFailure(.tooLarge, reason, mayHaveBegun: true))
        }
        return bytes
    }
}

extension StreamedElements.Unsendable: CustomStringConvertible {
    var description: String { failure.reason ?? "" }
}
