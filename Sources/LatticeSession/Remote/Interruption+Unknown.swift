package import LatticeCore

extension Interruption {
    /// The connection was lost, and with it whatever could tell more.
    package static var unknown: Interruption { Interruption(cause: .disconnected, incarnation: 0) }
}
