import LatticeCoding
package import LatticeCore
import LatticeWire

/// How an event ends whose state stays where it is made.
extension EffectFailure {
    /// - Parameter isFirst: Whether there is no state before it.
    package static func stateTooLarge(of feature: String, bytes: Int, limit: Int, isFirst: Bool = false) -> Self {
        Self(
            type: "StateTooLarge",
            message:
                "the state of \"\(feature)\" has \(bytes) bytes, and at most \(limit) are sent\(consequence(isFirst));"
                + " keep what is large in files, or allow larger states"
        )
    }

    package static func stateNotEncodable(of feature: String, _ error: any Error, isFirst: Bool = false) -> Self {
        Self(
            type: "StateNotEncodable",
            message: "the state of \"\(feature)\" cannot be encoded\(consequence(isFirst));"
                + " \(CodingFailure.sentence(error))"
        )
    }

    private static func consequence(_ isFirst: Bool) -> String { isFirst ? "" : ", so the state before it was kept" }

    package static func stateNotDecodable(of feature: String, _ error: any Error) -> Self {
        Self(
            type: "StateNotDecodable",
            message: "the state of \"\(feature)\" cannot be decoded, so the state before it was kept;"
                + " \(CodingFailure.sentence(error))"
        )
    }
}
