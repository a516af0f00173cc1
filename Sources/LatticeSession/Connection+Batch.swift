import LatticeTransport

extension Connection {
    /// Writes a batch; see `write(_:)`.
    func write(_ batch: WriteBatch) throws(TransportError) -> Int {
        let result =
            if batch.isWorthPieces {
                batch.frames.withPieces(from: batch.offset) { pieces in
                    attempt { () throws(TransportError) in try write(pieces) }
                }
            } else {
                batch.frames.withBytes(from: batch.offset) { bytes in
                    attempt { () throws(TransportError) in try write(bytes) }
                }
            }
        return try result.get()
    }
}

/// Carries the error out of closures that throw none.
@inline(__always)
private func attempt(_ write: () throws(TransportError) -> Int) -> Result<Int, TransportError> {
    do throws(TransportError) {
        return .success(try write())
    } catch {
        return .failure(error)
    }
}
