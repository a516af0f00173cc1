import DequeModule
import LatticeConcurrency
import LatticeWire

/// What a serving side can tell of a state: what it is, and what has changed in it of late.
///
/// Who takes patches and has one of the last states gets what has changed since, folded into one change; everybody else
/// gets the whole state, which is encoded when somebody needs it. Which state somebody has is said by its number, and
/// numbers grow by one from state to state.
package struct StateLog: Sendable {
    /// What somebody can be told.
    package enum Answer: Sendable {
        case ready(StateOffer)
        /// That is known once this is done.
        case job(StateJob)
    }

    package typealias Encode = @Sendable () throws -> [UInt8]

    /// The number of the newest state; 0 before the first.
    package private(set) var revision: UInt64
    private let limits: ChannelLimits
    /// The newest state, unless it is to be encoded.
    private var bytes: [UInt8] = []
    /// Encodes the newest state; nil where its bytes are there.
    private var encode: Encode?
    /// Made of that when somebody asked.
    private var encoding: StateJob?
    /// How large the newest state was that was encoded.
    private let measured = MeasuredBytes()
    /// Each makes the next state of the one before; the last one made the newest.
    private var changes: Deque<[UInt8]> = []
    private var changeBytes = 0
    /// Fold what has changed since the states with these numbers.
    private var folds: [UInt64: StateJob] = [:]

    /// - Parameter revision: The number before that of the first state.
    package init(revision: UInt64 = 0, limits: ChannelLimits = ChannelLimits()) {
        self.revision = revision
        self.limits = limits
    }

    /// The bytes of the newest state; empty if they are not there.
    package var presentBytes: [UInt8] { encode == nil ? bytes : [] }

    /// Whether there is no state yet.
    package var isEmpty: Bool { bytes.isEmpty && encode == nil }

    // MARK: States

    /// There is a state, which has the present number: it is known elsewhere under that.
    package mutating func begin(with state: [UInt8]) {
        bytes = state
        measured.note(state.count, revision)
    }

    /// The same for a state of so many bytes that is encoded when somebody needs it.
    package mutating func begin(bytes: Int, encodedBy encode: @escaping Encode) {
        self.encode = encode
        measured.note(bytes, revision)
    }

    /// There is another state, unless its bytes are those of the one before.
    ///
    /// - Parameters:
    ///   - state: Gets the bytes of the state before, whose memory may be used again, unless it is the same.
    ///   - isAnother: Whether its bytes are others; nil: they are compared.
    /// - Returns: Whether it is another one.
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

    /// The state has changed.
    ///
    /// - Parameters:
    ///   - change: What has changed, encoded; nil: nobody needs that.
    ///   - encode: Encodes the state that it is now.
    package mutating func change(by change: [UInt8]?, encodedBy encode: @escaping Encode) {
        revision += 1
        bytes = []
        self.encode = encode
        encoding = nil
        if !folds.isEmpty { folds = [:] }
        guard let change else { return forgetChanges() }
        changes.append(change)
        changeBytes += change.count
        while changes.count > limits.maximumChanges || changeBytes > maximumChangeBytes { forgetFirstChange() }
    }

    /// Of a large state half of its size: who is behind by more than the limit for small ones still gets less than the
    /// whole.
    private var maximumChangeBytes: Int { max(limits.maximumChangeBytes, (measured.bytes ?? 0) / 2) }

    /// The numbers go on above this one, which somebody has from elsewhere. The newest state gets a new one.
    package mutating func skip(to revision: UInt64) {
        guard revision >= self.revision else { return }
        self.revision = revision + 1
        encoding = nil
        forgetChanges()
    }

    /// The only one who is told of the state has this one, and needs nothing of what was before. Bytes that were
    /// encoded for that are let go of.
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

    // MARK: Telling

    /// The number of the oldest state since which it is known what has changed.
    private var oldest: UInt64 { revision - UInt64(changes.count) }

    /// Whether it is known what has changed since the state with this number, if anything has.
    package func knows(_ revision: UInt64) -> Bool { !isEmpty && oldest <= revision && revision <= self.revision }

    /// What somebody can be told of the newest state.
    ///
    /// - Parameter base: The number of the state that they have; nil: none, or they do not take patches.
    /// - Complexity: O(1), and O(*n*) to make a job of *n* changes.
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

/// How many bytes a state had when it was encoded last, on whichever thread.
///
/// That is known when the encoding is done, also if there is a newer state by then: of one that grows while it is told,
/// the size before is soon far too small.
private final class MeasuredBytes: Sendable {
    private let newest = Locked<(revision: UInt64, bytes: Int)?>(nil)

    /// Nil before the first.
    var bytes: Int? { newest.withLock { $0?.bytes } }

    func note(_ bytes: Int, _ revision: UInt64) {
        newest.withLock { newest in
            guard revision >= newest?.revision ?? 0 else { return }
            newest = (revision, bytes)
        }
    }
}
