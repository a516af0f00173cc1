import LatticeCoding

/// The body of a message around a payload that is not copied into it.
package struct SplitBody: Sendable {
    /// The bytes before the payload.
    package let head: [UInt8]
    /// The bytes of the payload.
    package let payload: [UInt8]
    /// The bytes after the payload.
    package let tail: [UInt8]

    package init(head: [UInt8], payload: [UInt8], tail: [UInt8]) {
        self.head = head
        self.payload = payload
        self.tail = tail
    }

    /// The total number of bytes.
    package var count: Int { head.count + payload.count + tail.count }

    /// Appends a range of the whole body.
    ///
    /// - Complexity: O(*n*), where *n* is the length of the range.
    package func append(_ range: Range<Int>, to bytes: inout [UInt8]) {
        var start = 0
        for piece in [head, payload, tail] {
            let part = range.clamped(to: start..<(start + piece.count))
            if !part.isEmpty { bytes.append(contentsOf: piece[(part.lowerBound - start)..<(part.upperBound - start)]) }
            start += piece.count
        }
    }

    /// Splits the body of a message around its payload.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - payload: The payload that the message contains.
    package init(of message: some FieldedBody, around payload: [UInt8]) {
        var fields = FieldWriter(leavingOutPayload: true)
        fields.write(message)
        let bytes = fields.writer.bytes
        let end = fields.payloadStart ?? bytes.count
        self.init(head: Array(bytes[..<end]), payload: payload, tail: Array(bytes[end...]))
    }
}
