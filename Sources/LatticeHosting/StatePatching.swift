package import LatticeCoding
import LatticeCore
package import LatticeSession
package import LatticeTransport

/// How states of one type travel as patches.
///
/// A class, as ``PublishedState`` is: of a type that is known at run time only, nothing is looked up to see that there is
/// none.
package final class StatePatching<State>: @unchecked Sendable {
    // Unchecked: the functions capture nothing but a type.

    /// Behind a state of so many bytes that is encoded or decoded whole, memory is given back to the system: it is
    /// mostly changes that follow. Without it worker and coordinator keep 6 times the bytes of a state of 10 MB
    /// (`latticectl bench state --only memory`). It takes 2 ms.
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

    /// - Returns: Nil for states that are no ``Patchable``.
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

    /// What turns one state into another; nil if they are the same.
    func patch(from old: State, to new: State) throws -> [UInt8]? {
        try patch(old, new)
    }

    /// Changes a state in place. After an error it is of no use.
    func apply(_ changes: [[UInt8]], to state: inout State) throws {
        for change in changes { try change.withUnsafeBytes { try self.change(&state, $0) } }
    }

    /// - Parameter expected: About so many bytes. Room for them is made at once: a large buffer that grows is copied
    ///   again and again.
    package func encode(_ state: State, expected: Int, observer: (any CodingObserver)? = nil) throws -> [UInt8] {
        try whole(state, expected, observer)
    }

    /// A state of so many bytes was encoded or decoded whole. Any thread.
    package func noteWhole(bytes: Int, on eventLoop: any EventLoop) {
        if bytes >= Self.largeBytes { eventLoop.returnFreedMemorySoon() }
    }

    /// Whether an old state is worth being kept up to date: then the next change copies no array.
    var hasArrays: Bool { !arrays.isEmpty }

    /// Makes an old state the same as a new one, with arrays of its own: see ``ArrayPlaces``.
    func renew(_ old: inout State, as new: State) {
        arrays.renew(&old, as: new)
    }

    /// A state with the `@WorkerLocal` parts of another one; nil: as a new worker has them.
    func state(_ state: State, withPartsOf other: State?) -> State {
        var state = state
        localParts.replaceParts(of: &state, byThoseOf: other)
        return state
    }
}

extension StatePatching where State: Sendable {
    /// Encodes a state when somebody needs it; until then it shares what it has in common with the states after it.
    package func encoding(
        _ state: State,
        expected: Int,
        progress: CodingProgress? = nil
    ) -> @Sendable () throws -> [UInt8] {
        guard let progress else { return { [self] in try encode(state, expected: expected) } }
        return { [self] in try progress.track { try encode(state, expected: expected, observer: progress) } }
    }
}

/// A state as it was told last: what the next patch is made from.
///
/// It has nothing of what stays in the worker, so that a turn changes that in place.
package final class PublishedState<State: Sendable>: @unchecked Sendable {
    // Unchecked: touched by whoever tells the state, one at a time.

    /// What is to be told of the state that follows.
    package enum Step {
        case same
        /// By this change; nil: it is nested too deeply for one, and all of the state is to be sent.
        case changed([UInt8]?)
        /// It has so many bytes, and is not taken.
        case tooLarge(bytes: Int)
    }

    private let patching: StatePatching<State>
    private var state: State
    /// The one before it, until ``renewOutdated()`` or ``forgetOutdated()``.
    private var outdated: State?
    /// The same as the state, with arrays that nobody else has.
    private var spare: State?
    /// It, or one before it, had so many bytes when it was encoded.
    private var measuredBytes: Int
    /// It has at most so many bytes when it is encoded.
    package private(set) var maximumBytes: Int

    package init(_ state: State, bytes: Int, _ patching: StatePatching<State>) {
        self.patching = patching
        self.state = patching.state(state, withPartsOf: nil)
        measuredBytes = bytes
        maximumBytes = bytes
    }

    /// Goes on to another state, if that is not too large. A state grows by no more than the bytes of what has changed,
    /// so it is measured only where these sums come to the limit.
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
        if bytes > limit {
            bytes = try patching.encode(next, expected: measuredBytes, observer: observer).count
            measuredBytes = bytes
        }
        guard bytes <= limit else { return .tooLarge(bytes: bytes) }
        maximumBytes = bytes
        var told = patching.state(next, withPartsOf: state)
        if var spare = spare.take() {
            patching.renew(&spare, as: told)
            told = spare
        }
        outdated = state
        state = told
        return .changed(change)
    }

    /// What is told was sent: the state before it ends, of a large one in as much time as a copy takes, or is brought
    /// up to date, so that the next one that is told shares no array with anybody who changes it.
    package func renewOutdated() {
        guard var old = outdated.take(), patching.hasArrays else { return }
        patching.renew(&old, as: state)
        spare = old
    }

    /// Nobody changes the states that are told: sharing arrays with them costs nothing.
    package func forgetOutdated() {
        outdated = nil
    }

    /// The state with what stays in the worker as another one has it.
    package func state(withPartsOf present: State) -> State {
        patching.state(state, withPartsOf: present)
    }

    /// Encodes it when somebody needs all of it.
    package func encoding(progress: CodingProgress? = nil) -> @Sendable () throws -> [UInt8] {
        patching.encoding(state, expected: measuredBytes, progress: progress)
    }
}
