import LatticeConcurrency

/// One direction of an in-memory connection: a bounded buffer and the state of its two ends. A pure value.
struct MemoryPipe {
    /// The actions that a change of the pipe requires, after the lock is released.
    struct Consequences: OptionSet {
        let rawValue: UInt8
        static let deliver = Consequences(rawValue: 1)
        static let notifyWriter = Consequences(rawValue: 2)
    }

    /// The next delivery to the reader.
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

    /// Writes as much as fits.
    ///
    /// - Returns: The number of accepted bytes of all pieces together.
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

    /// Returns whether the writer has to be notified of room now, and clears that request.
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
        return wantsRoom ? .notifyWriter : []
    }

    private mutating func dueDelivery() -> Consequences {
        guard isReaderStarted, !isReaderGone, !isDeliveryDue, bytes.count > 0 || isWriterGone else {
            return []
        }
        isDeliveryDue = true
        return .deliver
    }

    /// Returns all bytes that are present, or the end of the stream after all bytes.
    mutating func takeDelivery() -> (Delivery, Consequences) {
        isDeliveryDue = false
        guard isReaderStarted, !isReaderGone else { return (.nothing, []) }
        guard bytes.count > 0 else { return (isWriterGone ? .end : .nothing, []) }
        let delivered = bytes
        bytes = []
        var consequences: Consequences = wantsRoom ? .notifyWriter : []
        consequences.formUnion(dueDelivery())
        return (.bytes(delivered), consequences)
    }
}

/// A pipe with its lock and its two ends.
final class MemoryChannel: @unchecked Sendable {
    // Unchecked: `pipe` is a lock. The ends are set once, before other threads see the channel. They are weak because
    // each end retains both channels.
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
        if consequences.contains(.notifyWriter), let writer { writer.eventLoop.execute { writer.notifyRoom() } }
    }
}
