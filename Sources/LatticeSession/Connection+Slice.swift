import LatticeTransport

extension Connection {
    /// Writes bytes of an array; see `write(_:)`.
    func write(_ bytes: ArraySlice<UInt8>) throws(TransportError) -> Int {
        let result = bytes.withUnsafeBytes { bytes -> Result<Int, TransportError> in
            do throws(TransportError) {
                return .success(try write(bytes))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}
