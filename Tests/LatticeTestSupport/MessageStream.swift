import LatticeTransport

/// The state of one end of a ``MessageConnection``: sent and received messages. It does no I/O.
struct MessageStream {
    enum Delivery {
        case nothing
        case bytes([UInt8], seen: LinkMessage)
        case end(TransportError?)
    }

    private enum Incoming {
        case open
        case ended
        case broken
    }

    private let capacity: Int
    private(set) var isOpen = true
    var isPaused = false

    // Outgoing messages.
    private var sent: UInt64 = 0
    private var sentBytes = 0
    private var seen: UInt64 = 0
    private var readBytes = 0
    private var wantsRoom = false
    private var isQuerying = false

    // Incoming messages.
    private var incoming = Incoming.open
    private var arrived: [[UInt8]] = []
    private var expected: UInt64 = 0
    private var deliveredBytes = 0

    init(capacity: Int) {
        self.capacity = capacity
    }

    private var confirmation: LinkMessage { .seen(expected, bytes: deliveredBytes) }

    // MARK: Out

    mutating func write(
        _ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>
    ) throws(TransportError) -> (Int, [LinkMessage]) {
        guard isOpen else { throw TransportError(code: .closed, message: Self.closed) }
        guard incoming == .open else { throw TransportError(code: .peerClosed, message: Self.peerClosed) }
        var taken: [UInt8] = []
        // After the end was full, half of the capacity must be free. Otherwise every write would be a small piece.
        guard !wantsRoom || hasRoom else { return (0, []) }
        for piece in pieces {
            let room = min(capacity - (sentBytes - readBytes), piece.count)
            taken.append(contentsOf: UnsafeRawBufferPointer(rebasing: piece[..<room]))
            sentBytes += room
            if room < piece.count {
                wantsRoom = true
                break
            }
        }
        let size = LossyLink.maximumBytes - 16
        let messages = stride(from: 0, to: taken.count, by: size).map { start in
            number { .data($0, taken.count <= size ? taken : Array(taken[start..<min(start + size, taken.count)])) }
        }
        return (taken.count, messages)
    }

    /// Closes the end.
    ///
    /// - Returns: The message to send, or nil if the end was closed already.
    mutating func close() -> LinkMessage? {
        guard isOpen else { return nil }
        isOpen = false
        return incoming == .broken ? .broken : number { .end($0) }
    }

    private mutating func number(_ message: (UInt64) -> LinkMessage) -> LinkMessage {
        defer { sent += 1 }
        return message(sent)
    }

    private var hasRoom: Bool { sentBytes - readBytes <= capacity / 2 }

    /// Returns whether the writer must be notified that it can write again, and marks it as notified.
    mutating func takeRoom() -> Bool {
        guard wantsRoom, isOpen, hasRoom else { return false }
        wantsRoom = false
        return true
    }

    /// Returns whether the caller must start to query for confirmations, because no queries are running.
    mutating func beginsQueries() -> Bool {
        defer { isQuerying = true }
        return !isQuerying
    }

    /// Returns the next query, or nil if all messages are confirmed or the other end has ended.
    mutating func query() -> LinkMessage? {
        isQuerying = incoming == .open && seen < sent
        return isQuerying ? .sent(sent) : nil
    }

    // MARK: In

    /// Handles a message.
    ///
    /// - Returns: The answer to send, if any.
    mutating func receive(_ message: LinkMessage) -> LinkMessage? {
        switch message {
        case .seen(let count, let bytes):
            seen = max(seen, count)
            readBytes = max(readBytes, bytes)
            return nil
        case .broken:
            if incoming == .open { incoming = .broken }
            return nil
        case .data, .end, .sent:
            guard incoming != .broken else { return .broken }
        }
        switch message {
        case .data(expected, let bytes):
            expected += 1
            if isOpen { arrived.append(bytes) }
        case .end(expected):
            expected += 1
            incoming = .ended
        case .data(let number, _) where number < expected, .sent(let number) where number <= expected:
            break
        default:
            incoming = .broken
            return .broken
        }
        return confirmation
    }

    /// Returns the next received bytes, one message at a time, and the end or the error after all of them.
    mutating func takeDelivery() -> Delivery {
        guard isOpen, !isPaused else { return .nothing }
        guard arrived.isEmpty else {
            let bytes = arrived.removeFirst()
            deliveredBytes += bytes.count
            return .bytes(bytes, seen: confirmation)
        }
        switch incoming {
        case .open: return .nothing
        case .ended: return .end(nil)
        case .broken: return .end(TransportError(code: .system, message: Self.broken))
        }
    }

    private static let closed = "The connection is closed. Open a new one."
    private static let peerClosed = "The other side closed the connection. Connect again if it should be there."
    package static let broken = "A message was lost on its way. Connect again."
}
