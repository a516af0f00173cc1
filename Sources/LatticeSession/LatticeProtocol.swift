/// What this library speaks.
package enum LatticeProtocol {
    /// The versions of `Protocols/lattice-wire-v1.md` that both ends may agree on.
    package static let versions: ClosedRange<UInt16> = 1...1

    /// How long the handshake may take: long enough for a loaded machine, short enough that a stranger who connects
    /// and says nothing does not hold a descriptor for long.
    package static let handshakeLimit: Duration = .seconds(5)
}
