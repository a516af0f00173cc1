import LatticeWire

/// What a tick of the event loop brought of a state: all of it, what has changed in it, or both one after the other.
package struct StateUpdate {
    /// What most updates have nothing of: they are passed on from one to the next, and copying this is one word.
    private final class Rest: Sendable {
        let changes: [[UInt8]]
        let decoded: Result<any Sendable, any Error>?

        init(_ changes: [[UInt8]], _ decoded: Result<any Sendable, any Error>?) {
            self.changes = changes
            self.decoded = decoded
        }
    }

    /// The newest state that came as a whole, encoded; nil if none did. Valid only while it is being delivered.
    package let snapshot: UnsafeRawBufferPointer?
    private let rest: Rest?

    /// The same, if that is all.
    package var whole: UnsafeRawBufferPointer? { rest == nil ? snapshot : nil }

    /// Whether the state is the one that was delivered before.
    package var isEmpty: Bool { snapshot == nil && changes.isEmpty }

    /// What has changed since the snapshot, or else since the state that was delivered before: encoded changes, to be
    /// made one after the other.
    package var changes: [[UInt8]] { rest?.changes ?? [] }

    /// What a large update was decoded to on another thread; nil if it was not.
    package var decoded: Result<any Sendable, any Error>? { rest?.decoded }

    /// With nothing but a state that came as a whole, or with nothing.
    package init(snapshot: UnsafeRawBufferPointer? = nil) {
        self.snapshot = snapshot
        rest = nil
    }

    package init(
        snapshot: UnsafeRawBufferPointer? = nil,
        changes: [[UInt8]],
        decoded: Result<any Sendable, any Error>? = nil
    ) {
        self.snapshot = snapshot
        rest = changes.isEmpty && decoded == nil ? nil : Rest(changes, decoded)
    }
}

/// The same while more of it may come.
struct GatheredState {
    private(set) var snapshot: [UInt8]?
    private(set) var changes: [[UInt8]] = []
    private var changeBytes = 0
    /// Bytes of the first change, if several were folded into it.
    private var foldedBytes = 0

    var isEmpty: Bool { snapshot == nil && changes.isEmpty }
    /// Whether it is nothing to decode on an event loop.
    var isLarge: Bool { (snapshot?.count ?? 0) + changeBytes >= CodingThreads.largeBytes }

    func withUpdate<Value>(
        decoded: Result<any Sendable, any Error>? = nil,
        _ body: (StateUpdate) throws -> Value
    ) rethrows -> Value {
        guard let snapshot else { return try body(StateUpdate(changes: changes, decoded: decoded)) }
        return try snapshot.withUnsafeBytes { bytes in
            try body(StateUpdate(snapshot: bytes, changes: changes, decoded: decoded))
        }
    }

    /// A state came as a whole: nothing that came before it matters.
    mutating func replace(by state: [UInt8]) {
        snapshot = state
        if !changes.isEmpty { removeChanges() }
    }

    /// A change came. Of many there is only one, which does what they do.
    ///
    /// - Throws: When these changes cannot follow one another.
    mutating func append(_ change: [UInt8], _ limits: ChannelLimits) throws(WireError) {
        changes.append(change)
        changeBytes += change.count
        // What was folded already is folded again when as much has come behind it: for each change that would take the
        // square of their bytes.
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
