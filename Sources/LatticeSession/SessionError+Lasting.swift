import LatticeWire

extension SessionError {
    /// Whether it will be the same the next time, so that nothing is won by trying again.
    package var isLasting: Bool {
        switch code {
        case .replaced: true
        case .refused: refusal != .busy && refusal != .timeout
        default: false
        }
    }
}
