package import LatticeCoding
import LatticeCore
package import LatticeSession
package import LatticeTransport

/// The operations with which states of one type travel as patches.
///
/// This is a class, as ``PublishedState`` is. With a class, the absence of the operations is checked without looking up
/// a type that is known only at run time.
package final class StatePatching<State>: @unchecked Sendable {
    // Unchecked, because the functions capture nothing but a type.

    /// The size in bytes from which freed memory is returned to the system after a whole state was encoded or decoded.
    ///
    /// Mostly changes follow a whole state. Without this, the worker and the coordinator keep 6 times the bytes of a
    /// state of 10 MB (`lattice-bench state --only memory`). Returning the memory takes 2 ms.
    private static var largeBytes: Int { 1 << 20 }

    private let patch: (_ old: State, _ new: State) throws -> [UInt8]?
    private let change: (inout State, UnsafeRawBufferPointer) throws -> Void
    private let whole: (State, _ expected: Int, (any CodingObserver)?) throws -> [UInt8]
    private let localParts = WorkerLocalPlaces<State>()
    private let arrays = ArrayPlaces<State>()

    private init(
        patch: @escaping (State, State) throws -> [UInt8]?,
        change: @escaping (inout State, UnsafeRawBufferPointer) throws -> Void,
        whole: @escaping (State, Int, (any CodingObserver)?) throws -> [UInt8]
    ) {
        self.patch = patch
        self.change = change
        self.whole = whole
    }

    /// Returns the operations for the type, or nil if its states are not ``Patchable``.
    package static func make() -> StatePatching? {
        guard let type = State.self as? any Patchable.Type else { return nil }
        return make(type) as? StatePatching
    }

    private static func make<Known: Patchable>(_ type: Known.Type) -> Any {
        StatePatching<Known>(
            patch: { old, new in try new.patch(from: old)?.bytes },
            change: { state, bytes in try state.apply(patchBytes: bytes) },
            whole: { state, expected, observer in
                var bytes: [UInt8] = []
                bytes.reserveCapacity(expected)
                try CBOREncoder(observer: observer).encode(state, into: &bytes)
                return bytes
            }
        )
    }

    /// Returns the encoded change from one state to another, or nil if they are equal.
    func patch(from old: State, to new: State) throws -> [UInt8]? {
        try patch(old, new)
    }

    /// Applies encoded changes to a state in place. After an error the state is unusable.
    func apply(_ changes: [[UInt8]], to state: inout State) throws {
        for change in changes { try change.withUnsafeBytes { try self.change(&state, $0) } }
    }

    /// Encodes a whole state.
    ///
    /// - Parameters:
    ///   - state: The state.
    ///   - expected: The expected size in bytes. The buffer is allocated with this size, because a large growing buffer
    ///     is copied repeatedly.
    ///   - observer: Observes the progress of the encoding.
    package func encode(_ state: State, expected: Int, observer: (any CodingObserver)? = nil) throws -> [UInt8] {
        try whole(state, expected, observer)
    }

    /// Returns freed memory to the system soon if a large whole state was encoded or decoded. You can call it on any
    /// thread.
    ///
    /// - Parameters:
    ///   - bytes: The size of the state in bytes.
    ///   - eventLoop: The event loop that schedules the return.
    package func noteWhole(bytes: Int, on eventLoop: any EventLoop) {
        if bytes >= Self.largeBytes { eventLoop.returnFreedMemorySoon() }
    }

    /// Whether the type contains arrays. If so, keeping an old state up to date avoids copying arrays at the next
    /// change.
    var hasArrays: Bool { !arrays.isEmpty }

    /// Makes an old state equal to a new one while it keeps its own array buffers. See ``ArrayPlaces``.
    func renew(_ old: inout State, as new: State) {
        arrays.renew(&old, as: new)
    }

    /// Returns a state with the `@WorkerLocal` parts of another one. If `other` is nil, the parts are those of a new
    /// worker.
    func state(_ state: State, withPartsOf other: State?) -> State {
        var state = state
        localParts.replaceParts(of: &state, byThoseOf: other)
        return state
    }
}

extension StatePatching where State: Sendable {
    /// Returns a closure that encodes a state when it is needed. Until then, the state shares memory with later states.
    package func encoding(
        _ state: State,
        expected: Int,
        progress: CodingProgress? = nil
    ) -> @Sendable () throws -> [UInt8] {
        guard let progress else { return { [self] in try encode(state, expected: expected) } }
        return { [self] in try progress.track { try encode(state, expected: expected, observer: progress) } }
    }
}

/// The state that was published last, from which the next patch is made.
///
/// It contains no `@WorkerLocal` parts, so that a turn changes these in place.
package final class PublishedState<State: Sendable>: @unchecked Sendable {
    // Unchecked, because only the publisher of the state accesses the object, from one thread at a time.

    /// The result of advancing to the next state.
    package enum Step {
        /// The states are equal.
        case same
        /// The state has changed by this encoded change. Nil if the change is nested too deeply to be encoded and the
        /// whole state must be sent.
        case changed([UInt8]?)
        /// The state is too large and was not accepted.
        case tooLarge(bytes: Int)
    }

    private let patching: StatePatching<State>
    private var state: State
    /// The state before the published one, until ``renewOutdated()`` or ``forgetOutdated()``.
    private var outdated: State?
    /// A copy of the published state that shares no array with other states.
    private var spare: State?
    /// The size in bytes of the published state or of an earlier one when it was encoded last.
    private var measuredBytes: Int
    /// An upper bound of the encoded size of the published state in bytes.
    package private(set) var maximumBytes: Int

    /// Creates the published state of a feature whose first state was just encoded.
    ///
    /// - Parameters:
    ///   - state: The state.
    ///   - bytes: The size of the encoded state in bytes.
    ///   - patching: The operations for the type of the state.
    package init(_ state: State, bytes: Int, _ patching: StatePatching<State>) {
        self.patching = patching
        self.state = patching.state(state, withPartsOf: nil)
        measuredBytes = bytes
        maximumBytes = bytes
    }

    /// Advances to the next state unless it is too large.
    ///
    /// A state grows at most by the size of its encoded change. The state is therefore measured only when the sum of
    /// these sizes reaches the limit, or when a state that was measured as smaller counts as large and as twice its
    /// size. Then the measuring takes at most as long as the encoding of the changes.
    ///
    /// - Parameters:
    ///   - next: The next state.
    ///   - limit: The maximum size of the encoded state in bytes.
    ///   - observer: Observes the progress of an encoding.
    /// - Returns: The step to the next state.
    /// - Throws: The error of encoding the change or the state.
    package func advance(
        to next: State,
        limit: Int,
        observer: (any CodingObserver)? = nil
    ) throws -> Step {
        let change: [UInt8]?
        do {
            guard let patch = try patching.patch(from: state, to: next) else { return .same }
            change = patch
        } catch  where NestingTooDeep.isCause(of: error) {
            change = nil
        }
        var bytes = change.map { maximumBytes + $0.count } ?? .max
        if bytes > min(limit, max(CodingThreads.largeBytes, 2 * measuredBytes)) {
            bytes = try patching.encode(next, expected: measuredBytes, observer: observer).count
            measuredBytes = bytes
        }
        guard bytes <= limit else { return .tooLarge(bytes: bytes) }
        maximumBytes = bytes
        var published = patching.state(next, withPartsOf: state)
        if var spare = spare.take() {
            patching.renew(&spare, as: published)
            published = spare
        }
        outdated = state
        state = published
        return .changed(change)
    }

    /// Releases the state before the published one, after the published one was sent.
    ///
    /// If the type contains arrays, the old state is updated instead. The next published state then shares no array
    /// with a state that a turn changes. Releasing or updating a large state takes about as long as copying it.
    package func renewOutdated() {
        guard var old = outdated.take(), patching.hasArrays else { return }
        patching.renew(&old, as: state)
        spare = old
    }

    /// Releases the state before the published one without updating it. Use it if no turn changes the published states,
    /// so that shared arrays are never copied.
    package func forgetOutdated() {
        outdated = nil
    }

    /// Returns the published state with the `@WorkerLocal` parts of another state.
    package func state(withPartsOf present: State) -> State {
        patching.state(state, withPartsOf: present)
    }

    /// Returns a closure that encodes the published state when the whole state is needed.
    package func encoding(progress: CodingProgress? = nil) -> @Sendable () throws -> [UInt8] {
        patching.encoding(state, expected: measuredBytes, progress: progress)
    }
}
