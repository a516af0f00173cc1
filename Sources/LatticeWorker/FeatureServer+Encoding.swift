import LatticeCoding
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTransport

/// Large states, which are encoded on another thread.
extension FeatureServer {
    /// Has the present state encoded on another thread. What happens from now on belongs to a later one.
    func startEncoding() {
        channel.mark()
        runtime.mark()
        unreleased.mark()
        isAhead = false
        encodings += 1
        let number = encodings
        encoding = Encoding(
            number: number,
            effects: runtime.heldEffects - (effectsBehindState ?? 0) - securedEffects,
            named: runtime.takeNamedChanges()
        )
        var buffer: [UInt8] = []
        swap(&buffer, &spare)
        // Without what stays here, which turns change in place meanwhile.
        var state = runtime.state
        localParts.replaceParts(of: &state, byThoseOf: nil)
        CodingThreads.run { [self, state, released = channel.releasedBytes, buffer] in
            let result = Result { try codingProgress.track { try encode(state, into: buffer, unlike: released) } }
            eventLoop.execute { [self] in encoded(result, number) }
        }
    }

    /// - Returns: The bytes of the state, and whether they are others than those of the one before. On another thread.
    private nonisolated func encode(
        _ state: Feature.DomainState,
        into buffer: consuming [UInt8],
        unlike released: [UInt8]
    ) throws -> (bytes: [UInt8], isAnother: Bool) {
        var bytes = buffer
        bytes.removeAll(keepingCapacity: true)
        try CBOREncoder(observer: codingProgress).encode(state, into: &bytes)
        return (bytes, bytes != released)
    }

    private func encoded(_ result: Result<(bytes: [UInt8], isAnother: Bool), any Error>, _ number: Int) {
        // Else the channel was closed meanwhile.
        guard let encoding, encoding.number == number else { return }
        self.encoding = nil
        channel.noteActivity()
        do {
            let (state, isAnother) = try result.get()
            bytes = state.count
            guard bytes <= maximumState else {
                return fail(
                    encoding,
                    .stateTooLarge(of: Feature.identifier, bytes: bytes, limit: maximumState, isFirst: false)
                )
            }
            if let named = encoding.named { note(named) }
            var released = isAnother ? state : nil
            channel.releaseMarked(&released)
            runtime.secureMarked()
            unreleased.removeMarked()
            securedEffects += encoding.effects
            // Takes the next one, unless it is on its way out still.
            spare = released ?? state
        } catch {
            fail(encoding, .stateNotEncodable(of: Feature.identifier, error, isFirst: false))
        }
    }

    /// The next release goes back to the state before.
    private func fail(_ encoding: Encoding, _ failure: EffectFailure) {
        if let named = encoding.named { runtime.putBack(named) }
        self.failure = failure
        isAhead = true
    }
}
