import LatticeCoding

/// The body of a message around a payload that is not copied into it.
package struct SplitBody: Sendable {
    /// What comes before the bytes of the payload.
    package let head: [UInt8]
    package let payload: [UInt8]
    package let tail: [UInt8]

    package init(head: [UInt8], payload: [UInt8], tail: [UInt8]) {
        self.head = head
        self.payload = payload
        self.tail = tail
    }

    package var count: Int { head.count + payload.count + tail.count }

    /// Appends a part of the whole.
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

    /// - Parameter payload: the one that is in the message.
    package init(of message: some FieldedBody, around payload: [UInt8]) {
        var fields = FieldWriter(leavingOutPayload: true)
        fields.write(message)
        let bytes = fields.writer.bytes
        let end = fields.payloadStart ?? bytes.count
        self.init(head: Array(bytes[..<end]), payload: payload, tail: Array(bytes[end...]))
    }
}
