import DequeModule
import LatticeConcurrency
import LatticeWire

/// The log of a state at its serving side: the newest state and its latest changes.
///
/// A peer that accepts patches and has one of the latest states receives the changes since then, merged into one
/// change. Every other peer receives the whole state, which is encoded when it is needed. Each state is identified by
/// its revision, which increases by one from state to state.
package struct StateLog: Sendable {
    /// The answer to the question what can be sent to a peer.
    package enum Answer: Sendable {
        /// This can be sent now.
        case ready(StateOffer)
        /// The job must be run first. Its result can then be sent.
        case job(StateJob)
    }

    /// A closure that encodes a state.
    package typealias Encode = @Sendable () throws -> [UInt8]

    /// The revision of the newest state, or 0 before the first one.
    package private(set) var revision: UInt64
    private let limits: ChannelLimits
    /// The bytes of the newest state, or empty if it is not encoded yet.
    private var bytes: [UInt8] = []
    /// Encodes the newest state. Nil if its bytes are present.
    private var encode: Encode?
    /// The job that encodes the newest state. Nil until it is needed.
    private var encoding: StateJob?
    /// The size of the newest state that was encoded.
    private let measured = MeasuredBytes()
    /// The encoded changes. Each one leads from one state to the next, and the last one leads to the newest state.
    private var changes: Deque<[UInt8]> = []
    private var changeBytes = 0
    /// The jobs that merge the changes since these revisions.
    private var folds: [UInt64: StateJob] = [:]

    /// Creates a log without a state.
    ///
    /// - Parameters:
    ///   - revision: The revision before that of the first state.
    ///   - limits: The limits on the changes that are kept.
    package init(revision: UInt64 = 0, limits: ChannelLimits = ChannelLimits()) {
        self.revision = revision
        self.limits = limits
    }

    /// The bytes of the newest state, or empty if it is not encoded yet.
    package var presentBytes: [UInt8] { encode == nil ? bytes : [] }

    /// A Boolean value that indicates whether there is no state yet.
    package var isEmpty: Bool { bytes.isEmpty && encode == nil }

    // MARK: States

    /// Sets the first state. It keeps the present revision, under which other processes know it.
    package mutating func begin(with state: [UInt8]) {
        bytes = state
        measured.note(state.count, revision)
    }

    /// Sets the first state to one that is encoded when it is needed. It keeps the present revision.
    ///
    /// - Parameters:
    ///   - bytes: The size of the encoded state in bytes.
    ///   - encode: Encodes the state.
    package mutating func begin(bytes: Int, encodedBy encode: @escaping Encode) {
        self.encode = encode
        measured.note(bytes, revision)
    }

    /// Replaces the state, unless the bytes are unchanged.
    ///
    /// - Parameters:
    ///   - state: The bytes of the state. If they have changed, the parameter receives the previous bytes, so that
    ///     their memory can be used again.
    ///   - isAnother: Whether the bytes have changed. If this is nil, they are compared.
    /// - Returns: Whether the bytes have changed.
    package mutating func replace(by state: inout [UInt8], isAnother: Bool? = nil) -> Bool {
        guard encode != nil || (isAnother ?? (state != bytes)) else { return false }
        swap(&state, &bytes)
        encode = nil
        encoding = nil
        revision += 1
        measured.note(bytes.count, revision)
        forgetChanges()
        return true
    }

    /// Records that the state has changed.
    ///
    /// - Parameters:
    ///   - change: The encoded change, or nil if it is not needed.
    ///   - encode: Encodes the present state.
    /// - Returns: The closure that encoded the state before, which may refer to that state.
    @discardableResult
    package mutating func change(by change: [UInt8]?, encodedBy encode: @escaping Encode) -> Encode? {
        let outdated = self.encode
        revision += 1
        bytes = []
        self.encode = encode
        encoding = nil
        if !folds.isEmpty { folds = [:] }
        guard let change else {
            forgetChanges()
            return outdated
        }
        changes.append(change)
        changeBytes += change.count
        while changes.count > limits.maximumChanges || changeBytes > maximumChangeBytes { forgetFirstChange() }
        return outdated
    }

    /// The maximum size of the changes in bytes. For a large state it is half of the state's size, so that a peer that
    /// is far behind still receives less than the whole state.
    private var maximumChangeBytes: Int { max(limits.maximumChangeBytes, (measured.bytes ?? 0) / 2) }

    /// Raises the revision above this one, which a peer knows from elsewhere. The newest state gets a new revision.
    package mutating func skip(to revision: UInt64) {
        guard revision >= self.revision else { return }
        self.revision = revision + 1
        encoding = nil
        forgetChanges()
    }

    /// Discards what is only needed for states before this revision. For a state with a single peer, which now has this
    /// revision. Bytes that were encoded for that peer are freed.
    package mutating func forget(before revision: UInt64) {
        while !changes.isEmpty, oldest < revision { forgetFirstChange() }
        guard encoding != nil, revision == self.revision else { return }
        encoding = nil
    }

    private mutating func forgetFirstChange() {
        folds[oldest] = nil
        changeBytes -= changes.removeFirst().count
    }

    private mutating func forgetChanges() {
        guard !changes.isEmpty else { return }
        changes = []
        changeBytes = 0
        folds = [:]
    }

    // MARK: Answering

    /// The oldest revision since which all changes are known.
    private var oldest: UInt64 { revision - UInt64(changes.count) }

    /// Returns whether the changes since this revision are known. They may be empty.
    package func knows(_ revision: UInt64) -> Bool { !isEmpty && oldest <= revision && revision <= self.revision }

    /// Returns what can be sent to a peer, so that it has the newest state.
    ///
    /// - Parameter base: The revision of the peer's state. Nil if the peer has no state or does not accept patches.
    /// - Complexity: O(1), or O(*n*) if a job for *n* changes is made.
    package mutating func answer(since base: UInt64?) -> Answer {
        guard let base, base < revision, knows(base) else { return snapshot() }
        if base == revision - 1, let change = changes.last {
            guard change.count < measured.bytes ?? .max else { return snapshot() }
            return .ready(StateOffer(revision: revision, .patch(base: base, changes: change)))
        }
        let fold = folds[base] ?? makeFold(since: base)
        folds[base] = fold
        return StateLog.answer(fold)
    }

    /// Returns the whole state, or the job that encodes it.
    private mutating func snapshot() -> Answer {
        guard let encode else { return .ready(StateOffer(revision: revision, .snapshot(bytes))) }
        let job =
            encoding
            ?? StateJob(bytes: measured.bytes) { [revision, measured] in
                let state = try encode()
                measured.note(state.count, revision)
                return StateOffer(revision: revision, .snapshot(state))
            }
        encoding = job
        return StateLog.answer(job)
    }

    private static func answer(_ job: StateJob) -> Answer {
        job.offer.map(Answer.ready) ?? .job(job)
    }

    /// Returns a job that merges the changes since a revision, or uses the whole state if that is smaller.
    private mutating func makeFold(since base: UInt64) -> StateJob {
        let changes = Array(changes.suffix(Int(revision - base)))
        let (revision, snapshot, measured) = (revision, snapshot(), measured)
        return StateJob(bytes: changes.reduce(0) { $0 + $1.count }) {
            if let change = try? StateChange.fold(changes), change.count < measured.bytes ?? .max {
                return StateOffer(revision: revision, .patch(base: base, changes: change))
            }
            switch snapshot {
            case .ready(let offer): return offer
            case .job(let job): return try job.run()
            }
        }
    }
}

/// The size of a state when it was encoded last, on any thread.
///
/// The size is recorded when an encoding has finished, even if a newer state exists by then. A state may grow while it
/// is encoded and sent, and an older size would soon be far too small.
private final class MeasuredBytes: Sendable {
    private let newest = Locked<(revision: UInt64, bytes: Int)?>(nil)

    /// The size in bytes, or nil before the first encoding.
    var bytes: Int? { newest.withLock { $0?.bytes } }

    /// Records the size of the state with this revision, unless a newer size is known.
    func note(_ bytes: Int, _ revision: UInt64) {
        newest.withLock { newest in
            guard revision >= newest?.revision ?? 0 else { return }
            newest = (revision, bytes)
        }
    }
}
