import LatticeWire

extension SessionError {
    /// The other side has said hello once more, on another connection.
    package static var replaced: SessionError {
        SessionError(
            code: .replaced,
            message:
                "a newer session has the same identity and takes the place of this one; give each client an identity"
                + " of its own",
            cause: nil
        )
    }

    /// Whether it will be the same the next time, so that nothing is won by trying again.
    package var isLasting: Bool {
        switch code {
        case .replaced: true
        case .refused: refusal != .busy && refusal != .timeout
        default: false
        }
    }
}
