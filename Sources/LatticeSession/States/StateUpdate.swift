import LatticeWire

/// The update of a state by one tick of the event loop: a whole state, changes, or a whole state followed by changes.
package struct StateUpdate {
    /// The parts that most updates do not have. They are stored behind a reference, so that copying an update copies
    /// one word for them.
    private final class Rest: Sendable {
        let changes: [[UInt8]]
        let decoded: Result<any Sendable, any Error>?

        init(_ changes: [[UInt8]], _ decoded: Result<any Sendable, any Error>?) {
            self.changes = changes
            self.decoded = decoded
        }
    }

    /// The newest encoded state that arrived as a whole, or nil if none did. Valid only during the delivery.
    package let snapshot: UnsafeRawBufferPointer?
    private let rest: Rest?

    /// The snapshot if the update consists of it alone, otherwise nil.
    package var whole: UnsafeRawBufferPointer? { rest == nil ? snapshot : nil }

    /// A Boolean value that indicates whether the state is unchanged since the previous delivery.
    package var isEmpty: Bool { snapshot == nil && changes.isEmpty }

    /// The encoded changes since the snapshot, to be applied in order. Without a snapshot, they are the changes since
    /// the previous delivery.
    package var changes: [[UInt8]] { rest?.changes ?? [] }

    /// The result of decoding a large update on another thread. Nil if it was not decoded.
    package var decoded: Result<any Sendable, any Error>? { rest?.decoded }

    /// Creates an update that consists of a whole state, or an empty update.
    package init(snapshot: UnsafeRawBufferPointer? = nil) {
        self.snapshot = snapshot
        rest = nil
    }

    /// Creates an update from its parts.
    package init(
        snapshot: UnsafeRawBufferPointer? = nil,
        changes: [[UInt8]],
        decoded: Result<any Sendable, any Error>? = nil
    ) {
        self.snapshot = snapshot
        rest = changes.isEmpty && decoded == nil ? nil : Rest(changes, decoded)
    }
}

/// A state update that is still being collected.
struct GatheredState {
    private(set) var snapshot: [UInt8]?
    private(set) var changes: [[UInt8]] = []
    private var changeBytes = 0
    /// The size in bytes of the first change if it was merged from several changes, otherwise 0.
    private var foldedBytes = 0

    /// Whether nothing was collected.
    var isEmpty: Bool { snapshot == nil && changes.isEmpty }
    /// Whether the update is too large to be decoded on an event loop.
    var isLarge: Bool { (snapshot?.count ?? 0) + changeBytes >= CodingThreads.largeBytes }

    /// Calls `body` with the collected update, which is valid during the call.
    func withUpdate<Value>(
        decoded: Result<any Sendable, any Error>? = nil,
        _ body: (StateUpdate) throws -> Value
    ) rethrows -> Value {
        guard let snapshot else { return try body(StateUpdate(changes: changes, decoded: decoded)) }
        return try snapshot.withUnsafeBytes { bytes in
            try body(StateUpdate(snapshot: bytes, changes: changes, decoded: decoded))
        }
    }

    /// Replaces everything that was collected by a whole state.
    mutating func replace(by state: [UInt8]) {
        snapshot = state
        if !changes.isEmpty { removeChanges() }
    }

    /// Adds a change. Too many changes are merged into one.
    ///
    /// - Throws: `WireError` if the changes do not fit together.
    mutating func append(_ change: [UInt8], _ limits: ChannelLimits) throws(WireError) {
        changes.append(change)
        changeBytes += change.count
        // A change that was already merged is merged again only after as many bytes have been added. Merging it with
        // each new change would take quadratic time.
        let maximumBytes = max(limits.maximumChangeBytes, 2 * foldedBytes)
        guard changes.count > limits.maximumChanges || changeBytes > maximumBytes else { return }
        let folded = try StateChange.fold(changes)
        changes = [folded]
        changeBytes = folded.count
        foldedBytes = folded.count
    }

    private mutating func removeChanges() {
        changes = []
        changeBytes = 0
        foldedBytes = 0
    }
}
