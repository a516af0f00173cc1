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
    private var isReaderPaused = false
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

    mutating func pauseReader() {
        isReaderPaused = true
    }

    mutating func resumeReader() -> Consequences {
        isReaderPaused = false
        return dueDelivery()
    }

    mutating func closeReader() -> Consequences {
        isReaderGone = true
        bytes = []
        return wantsRoom ? .tellWriter : []
    }

    private mutating func dueDelivery() -> Consequences {
        guard isReaderStarted, !isReaderPaused, !isReaderGone, !isDeliveryDue, bytes.count > 0 || isWriterGone else {
            return []
        }
        isDeliveryDue = true
        return .deliver
    }

    /// What there is, all at once; the end of the stream only after all bytes.
    mutating func takeDelivery() -> (Delivery, Consequences) {
        isDeliveryDue = false
        guard isReaderStarted, !isReaderPaused, !isReaderGone else { return (.nothing, []) }
        guard bytes.count > 0 else { return (isWriterGone ? .end : .nothing, []) }
        let delivered = bytes
        bytes = []
        var consequences: Consequences = wantsRoom ? .tellWriter : []
        consequences.formUnion(dueDelivery())
        return (.bytes(delivered), consequences)
    }
}
