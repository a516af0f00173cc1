import LatticeTransport
import Testing

/// The two ways of writing that a connection has; everything else is the same for both.
enum WriteStyle: CaseIterable, CustomTestStringConvertible, Sendable {
    case whole
    /// More of them in a large write than go into one call of the system, and empty ones between.
    case pieces

    var testDescription: String {
        switch self {
        case .whole: "whole"
        case .pieces: "in pieces"
        }
    }
}

extension Connection {
    /// `write` for the bytes of a collection.
    func write(_ bytes: some Collection<UInt8>, _ style: WriteStyle = .whole) throws(TransportError) -> Int {
        let bytes = Array(bytes)
        switch style {
        case .whole:
            let result = bytes.withUnsafeBytes { buffer in
                Result { () throws(TransportError) in try self.write(buffer) }
            }
            return try result.get()
        case .pieces:
            let size = 97
            let pieces = stride(from: 0, to: bytes.count, by: size).flatMap { start in
                [Array(bytes[start..<min(start + size, bytes.count)]), []]
            }
            return try write(pieces: pieces)
        }
    }

    func write(pieces: [[UInt8]]) throws(TransportError) -> Int {
        let result = withPieces(pieces) { pieces in
            Result { () throws(TransportError) in try self.write(pieces) }
        }
        return try result.get()
    }
}

/// Several arrays where each lies in memory of its own.
func withPieces<Result>(
    _ arrays: [[UInt8]],
    _ body: (UnsafeBufferPointer<UnsafeRawBufferPointer>) throws -> Result
) rethrows -> Result {
    let copies = arrays.map { array in
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: array.count, alignment: 1)
        copy.copyBytes(from: array)
        return UnsafeRawBufferPointer(copy)
    }
    defer { for copy in copies { copy.deallocate() } }
    return try copies.withUnsafeBufferPointer(body)
}
