import LatticeCoding
import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTransport

/// The encoding of large states on another thread.
extension FeatureServer {
    /// Starts to encode the current state on another thread. Later turns belong to a later state.
    func startEncoding() {
        channel.mark()
        runtime.mark()
        loopState.value.isAhead = false
        loopState.value.encodings += 1
        let number = loopState.value.encodings
        loopState.value.encoding = FeatureServerState.Encoding(
            number: number,
            effects: runtime.heldEffects - (loopState.value.effectsBehindState ?? 0) - loopState.value.securedEffects,
            named: runtime.takeNamedChanges()
        )
        var buffer: [UInt8] = []
        swap(&buffer, &loopState.value.spare)
        // The copy leaves out the worker-local parts, which turns change in place in the meantime.
        var state = runtime.state
        localParts.replaceParts(of: &state, byThoseOf: nil)
        CodingThreads.run { [self, state, released = channel.releasedBytes, buffer] in
            let result = Result { try codingProgress.track { try encode(state, into: buffer, unlike: released) } }
            eventLoop.execute { [self] in encoded(result, number) }
        }
    }

    /// Encodes a state. Runs on another thread.
    ///
    /// - Returns: The bytes of the state, and a Boolean value that indicates whether they differ from the state before.
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
        // The numbers differ if the channel was closed in the meantime.
        guard let encoding = loopState.value.encoding, encoding.number == number else { return }
        loopState.value.encoding = nil
        channel.noteActivity()
        do {
            let (state, isAnother) = try result.get()
            let bytes = state.count
            loopState.value.bytes = bytes
            guard bytes <= maximumState else {
                return fail(
                    encoding,
                    .stateTooLarge(of: Feature.identifier, bytes: bytes, limit: maximumState, isFirst: false)
                )
            }
            if let named = encoding.named { note(named) }
            var released = isAnother ? state : nil
            channel.releaseMarked(&released)
            emitPublished(bytes: bytes, isPatch: false)
            runtime.secureMarked()
            loopState.value.securedEffects += encoding.effects
            // The buffer is used for the next state, unless it is still being written.
            loopState.value.spare = released ?? state
        } catch {
            fail(encoding, .stateNotEncodable(of: Feature.identifier, error, isFirst: false))
        }
    }

    /// Records a failure. The next release rolls the feature back to the state before.
    private func fail(_ encoding: FeatureServerState.Encoding, _ failure: EffectFailure) {
        if let named = encoding.named { runtime.putBack(named) }
        loopState.value.failure = failure
        loopState.value.isAhead = true
    }
}
