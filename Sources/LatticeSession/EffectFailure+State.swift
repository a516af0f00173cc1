package import LatticeCore
import LatticeWire

/// How an event ends whose state stays where it is made.
extension EffectFailure {
    package static func stateTooLarge(of feature: String, bytes: Int, limit: Int) -> EffectFailure {
        EffectFailure(
            type: "StateTooLarge",
            message:
                "the state of \"\(feature)\" has \(bytes) bytes, and at most \(limit) are sent, so the state before"
                + " it was kept; keep what is large in files, or allow larger states"
        )
    }

    package static func stateNotEncodable(of feature: String, _ error: any Error) -> EffectFailure {
        EffectFailure(
            type: "StateNotEncodable",
            message: "the state of \"\(feature)\" cannot be encoded, so the state before it was kept;"
                + " \(CodingFailure.sentence(error))"
        )
    }

    package static func stateNotDecodable(of feature: String, _ error: any Error) -> EffectFailure {
        EffectFailure(
            type: "StateNotDecodable",
            message: "the state of \"\(feature)\" cannot be decoded, so the state before it was kept;"
                + " \(CodingFailure.sentence(error))"
        )
    }
}
