import LatticeConcurrency
import LatticeSession
import LatticeTransport

/// The newest state of a feature whose states travel as patches. Each patch changes it.
///
/// Freeing an old state does not delay its receiver. The previous state is kept for a while, until the receiver no
/// longer uses it. If the type contains arrays, the previous state is then updated, and the next patch changes it, so
/// that no array is copied. Otherwise it is freed on the event loop. Freeing a state of 50 MB takes 5 ms, so large
/// states are freed on a coding thread.
final class LatestState<State: Sendable>: Sendable {
    private struct Kept {
        /// The newest state. Nil before the first state, while the state is decoded or changed, and while the whole
        /// state is requested.
        var newest: State?
        /// The previous state.
        var outdated: State?
        /// The state before the previous one. It is updated or freed when the newest state has been passed on.
        var ending: State?
        /// A copy of the newest state that shares no array with other states.
        var spare: State?
        /// A counter that increases with each newest state.
        var number = 0
        /// An upper bound of the encoded size of the newest state in bytes.
        var bytes = 0
        /// The size in bytes of the last state that arrived as a whole.
        var measuredBytes = 0
        /// Whether a timer will free `outdated`.
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

    /// The time in milliseconds after which the previous state is freed.
    private static var keepsMilliseconds: Int64 { 1000 }

    let patching: StatePatching<State>
    private let kept = Locked(Kept())

    /// Creates an object for the states of one channel.
    ///
    /// - Parameters:
    ///   - patching: The operations for the type of the state.
    ///   - state: The state before the first one arrives, or nil if there is none.
    init(_ patching: StatePatching<State>, startingFrom state: InitialState<State>? = nil) {
        self.patching = patching
        guard let state else { return }
        let bytes = state.bytes.count
        kept.withLock { $0 = Kept(newest: state.state, bytes: bytes, measuredBytes: bytes) }
    }

    deinit {
        endElsewhere()
    }

    /// Replaces the state by one that arrived as a whole.
    ///
    /// - Parameters:
    ///   - bytes: The encoded state.
    ///   - decode: Decodes the bytes.
    func replace(by bytes: UnsafeRawBufferPointer, _ decode: (UnsafeRawBufferPointer) throws -> State) throws {
        // The old states are freed first, so that two of them are never in memory together.
        endElsewhere()
        let state = try decode(bytes)
        kept.withLock { kept in
            kept.newest = state
            kept.bytes = bytes.count
            kept.measuredBytes = bytes.count
        }
    }

    /// Applies changes to the newest state and returns the result.
    ///
    /// - Throws: ``UnusableChanges`` if the changes cannot be applied. There is no newest state then.
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
            kept.releaseAfterUnlock { $0.outdated.take() }
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

    /// Returns a closure that encodes the newest state when it is needed.
    func encoding(_ state: State, progress: CodingProgress) -> @Sendable () throws -> [UInt8] {
        patching.encoding(state, expected: kept.withLock { $0.measuredBytes }, progress: progress)
    }

    /// Cleans up after the newest state has been passed on. The previous state is freed later, because the receiver may
    /// still use it for a while. Call it on the event loop.
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
        // The states are freed outside the lock.
        kept.releaseAfterUnlock { kept in
            kept.isTimed = false
            return (kept.outdated.take(), kept.spare.take())
        }
    }

    /// Frees all states. Large states are freed on a coding thread, which then holds the last reference to them.
    private func endElsewhere() {
        let box = kept.withLock { kept -> Box? in
            let isLarge = kept.bytes >= CodingThreads.largeBytes
            let old = exchange(&kept, with: Kept(number: kept.number + 1, isTimed: kept.isTimed))
            return isLarge ? Box(old) : nil
        }
        if let box { CodingThreads.run { box.empty() } }
    }
}

/// The error for changes that cannot be applied to the present state.
struct UnusableChanges: Error {}
