import LatticeWire

extension Reactor: CodingObserver {
    /// Lets whoever lives here give a sign of life, from time to time: until the value is coded nobody looks at the sockets.
    package func codingGoesOn() {
        guard isCurrent else { return }
        let start = ContinuousClock.now
        guard signOfLife.isDue(start) else { return }
        for resident in residents.all { resident.isHeldUp() }
        signOfLife.gave(from: start, to: .now)
    }
}
