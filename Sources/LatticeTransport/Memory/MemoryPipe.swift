import LatticeConcurrency

/// One direction of an in-memory connection: a bounded buffer and what its two ends have said. A pure value.
struct MemoryPipe {
    /// What whoever changed the pipe has to set going, after leaving the lock.
    struct Consequences: OptionSet {
        let rawValue: UInt8
        static let deliver = Consequences(rawValue: 1)
        static let tellWriter = Consequences(rawValue: 2)
    }

    enum Delivery {
        case nothing
        case bytes([UInt8])
        case end
    }

    let capacity: Int
    private var bytes: [UInt8] = []
    private var isReaderStarted = false
    private var isReaderGone = false
    private var isWriterGone = false
    private var isDeliveryDue = false
    private var wantsRoom = false

    init(capacity: Int) {
        self.capacity = capacity
    }

    // MARK: The writer

    /// - Returns: How many bytes were taken, of all pieces together.
    mutating func write(
        _ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>
    ) throws(TransportError) -> (Int, Consequences) {
        guard !isWriterGone else { throw .closed }
        guard !isReaderGone else { throw .peerClosed() }
        let before = bytes.count
        for piece in pieces {
            let room = min(capacity - bytes.count, piece.count)
            bytes.append(contentsOf: piece.prefix(room))
            if room < piece.count {
                wantsRoom = true
                break
            }
        }
        return (bytes.count - before, dueDelivery())
    }

    mutating func closeWriter() -> Consequences {
        isWriterGone = true
        return dueDelivery()
    }

    /// Whether the writer is to be told of room, now that it can be.
    mutating func takeRoom() -> Bool {
        guard wantsRoom, !isWriterGone, isReaderGone || bytes.count < capacity else { return false }
        wantsRoom = false
        return true
    }

    // MARK: The reader

    mutating func startReader() -> Consequences {
        isReaderStarted = true
        return dueDelivery()
    }

    mutating func closeReader() -> Consequences {
        isReaderGone = true
        bytes = []
        return wantsRoom ? .tellWriter : []
    }

    private mutating func dueDelivery() -> Consequences {
        guard isReaderStarted, !isReaderGone, !isDeliveryDue, bytes.count > 0 || isWriterGone else {
            return []
        }
        isDeliveryDue = true
        return .deliver
    }

    /// What there is, all at once; the end of the stream only after all bytes.
    mutating func takeDelivery() -> (Delivery, Consequences) {
        isDeliveryDue = false
        guard isReaderStarted, !isReaderGone else { return (.nothing, []) }
        guard bytes.count > 0 else { return (isWriterGone ? .end : .nothing, []) }
        let delivered = bytes
        bytes = []
        var consequences: Consequences = wantsRoom ? .tellWriter : []
        consequences.formUnion(dueDelivery())
        return (.bytes(delivered), consequences)
    }
}

/// A pipe, its lock, and who is at its ends.
final class MemoryChannel: @unchecked Sendable {
    // Unchecked: `pipe` is a lock; the ends are set once, before anybody else sees the channel. They are weak because
    // each end keeps both channels.
    private let pipe: Locked<MemoryPipe>
    weak var writer: MemoryConnection?
    weak var reader: MemoryConnection?

    init(capacity: Int) {
        precondition(capacity > 0, "A connection that holds no byte cannot carry any.")
        pipe = Locked(MemoryPipe(capacity: capacity))
    }

    func write(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) throws(TransportError) -> Int {
        let (taken, consequences) = try pipe.withLock { pipe throws(TransportError) in try pipe.write(pieces) }
        act(on: consequences)
        return taken
    }

    func change(_ body: (inout MemoryPipe) -> MemoryPipe.Consequences) {
        act(on: pipe.withLock { body(&$0) })
    }

    func takeRoom() -> Bool {
        pipe.withLock { $0.takeRoom() }
    }

    func takeDelivery() -> MemoryPipe.Delivery {
        let (delivery, consequences) = pipe.withLock { $0.takeDelivery() }
        act(on: consequences)
        return delivery
    }

    private func act(on consequences: MemoryPipe.Consequences) {
        if consequences.contains(.deliver), let reader { reader.eventLoop.execute { reader.deliver() } }
        if consequences.contains(.tellWriter), let writer { writer.eventLoop.execute { writer.notifyRoom() } }
    }
}
