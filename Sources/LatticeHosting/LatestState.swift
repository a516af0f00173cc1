import LatticeConcurrency
import LatticeSession
import LatticeTransport

/// The newest state of a feature whose states travel as patches, which each patch changes.
///
/// Nobody waits for the end of an old one. The one before the newest is kept for a while, until the main actor has let
/// go of it. Then it is brought up to date, if it has arrays, and is what the next patch changes, so that no array is
/// copied; else it ends on the event loop. The end of a state of 50 MB takes 5 ms: it ends on a thread that codes.
final class LatestState<State: Sendable>: Sendable {
    private struct Kept {
        /// Nil before the first, while it is decoded or changed, and while the whole state is asked for.
        var newest: State?
        /// What the newest was made of.
        var outdated: State?
        /// What that was made of: brought up to date or let go of when the newest was handed on.
        var ending: State?
        /// The same as the newest, with arrays that nobody else has.
        var spare: State?
        /// Grows with each newest state.
        var number = 0
        /// The newest has at most so many when it is encoded.
        var bytes = 0
        /// It, or one before it, had so many when it came.
        var measuredBytes = 0
        /// Whether `outdated` is let go of in a while.
        var isTimed = false
    }

    private final class Box: Sendable {
        private let kept: Locked<Kept?>

        init(_ kept: consuming Kept) {
            self.kept = Locked(kept)
        }

        func empty() {
            kept.withLock { $0 = nil }
        }
    }

    private static var keepsMilliseconds: Int64 { 1000 }

    let patching: StatePatching<State>
    private let kept = Locked(Kept())

    /// - Parameter state: The newest, before one has come.
    init(_ patching: StatePatching<State>, startingFrom state: InitialState<State>? = nil) {
        self.patching = patching
        guard let state else { return }
        let bytes = state.bytes.count
        kept.withLock { $0 = Kept(newest: state.state, bytes: bytes, measuredBytes: bytes) }
    }

    deinit {
        endElsewhere()
    }

    /// - Parameters:
    ///   - bytes: A state that came as a whole.
    ///   - decode: Decodes them.
    func replace(by bytes: UnsafeRawBufferPointer, _ decode: (UnsafeRawBufferPointer) throws -> State) throws {
        // First, so that there are no two of them in memory.
        endElsewhere()
        let state = try decode(bytes)
        kept.withLock { kept in
            kept.newest = state
            kept.bytes = bytes.count
            kept.measuredBytes = bytes.count
        }
    }

    /// - Throws: ``UnusableChanges``; there is no state then.
    func apply(_ changes: [[UInt8]]) throws -> State {
        var (newest, spare) = kept.withLock { kept in
            kept.number += 1
            return (kept.newest.take(), kept.spare.take())
        }
        guard let old = newest.take() else { throw UnusableChanges() }
        var new = spare.take() ?? old
        do {
            try patching.apply(changes, to: &new)
        } catch {
            _ = kept.withLock { $0.outdated.take() }
            throw UnusableChanges()
        }
        kept.withLock { [new] kept in
            kept.newest = new
            guard !changes.isEmpty else { return }
            kept.ending = kept.outdated
            kept.outdated = old
            for change in changes { kept.bytes += change.count }
        }
        return new
    }

    /// Encodes this state, which is the newest, when somebody needs it.
    func encoding(_ state: State, progress: CodingProgress) -> @Sendable () throws -> [UInt8] {
        patching.encoding(state, expected: kept.withLock { $0.measuredBytes }, progress: progress)
    }

    /// The newest state was handed on: whoever shows states lets go of the one before it by and by. On the event loop.
    func handedOn(_ eventLoop: any EventLoop) {
        var (ending, newest, number, needsTimer) = kept.withLock { kept in
            let needsTimer = kept.outdated != nil && !kept.isTimed
            kept.isTimed = kept.isTimed || needsTimer
            return (kept.ending.take(), kept.newest, kept.number, needsTimer)
        }
        if patching.hasArrays, var spare = ending.take(), let newest = newest.take() {
            patching.renew(&spare, as: newest)
            kept.withLock { [spare] kept in if kept.number == number { kept.spare = spare } }
        }
        guard needsTimer else { return }
        eventLoop.after(milliseconds: Self.keepsMilliseconds) { [weak self] in self?.forgetOutdated() }
    }

    private func forgetOutdated() {
        // Outside the lock it ends.
        _ = kept.withLock { kept in
            kept.isTimed = false
            return (kept.outdated.take(), kept.spare.take())
        }
    }

    /// Lets go of all states: of large ones on a thread that codes, which then is the last to have them.
    private func endElsewhere() {
        let box = kept.withLock { kept -> Box? in
            let isLarge = kept.bytes >= CodingThreads.largeBytes
            let old = exchange(&kept, with: Kept(number: kept.number + 1, isTimed: kept.isTimed))
            return isLarge ? Box(old) : nil
        }
        if let box { CodingThreads.run { box.empty() } }
    }
}

/// The changes of a state that came cannot be made to the one that is here.
struct UnusableChanges: Error {}
