import LatticeCoding
package import LatticeCore
import LatticeWire

/// The failures of an event whose state could not be passed on.
extension EffectFailure {
    /// Returns the failure of an event that makes a state larger than the limit.
    ///
    /// - Parameters:
    ///   - feature: The identifier of the feature.
    ///   - bytes: The size of the state in bytes.
    ///   - limit: The maximum size in bytes.
    ///   - isFirst: Whether there is no earlier state that could be kept.
    package static func stateTooLarge(of feature: String, bytes: Int, limit: Int, isFirst: Bool = false) -> Self {
        Self(
            type: "StateTooLarge",
            message:
                "The state of \"\(feature)\" has \(bytes) bytes, but at most \(limit) can be sent"
                + "\(consequence(isFirst)). Keep large data in files, or allow larger states."
        )
    }

    /// Returns the failure of an event that makes a state that cannot be encoded.
    ///
    /// - Parameters:
    ///   - feature: The identifier of the feature.
    ///   - error: The error of the encoding.
    ///   - isFirst: Whether there is no earlier state that could be kept.
    package static func stateNotEncodable(of feature: String, _ error: any Error, isFirst: Bool = false) -> Self {
        Self(
            type: "StateNotEncodable",
            message: "The state of \"\(feature)\" cannot be encoded\(consequence(isFirst)):"
                + " \(CodingFailure.sentence(error))"
        )
    }

    private static func consequence(_ isFirst: Bool) -> String { isFirst ? "" : ", so the previous state was kept" }

    /// Returns the failure of an event whose state cannot be decoded by the receiver.
    package static func stateNotDecodable(of feature: String, _ error: any Error) -> Self {
        Self(
            type: "StateNotDecodable",
            message: "The state of \"\(feature)\" cannot be decoded, so the previous state was kept:"
                + " \(CodingFailure.sentence(error))"
        )
    }
}
