package import LatticeCoding
import LatticeCore

/// How states of one type travel as patches.
package struct StatePatching<State>: @unchecked Sendable {
    // Unchecked: the functions capture nothing but a type.

    private let patch: (_ old: State, _ new: State) throws -> [UInt8]?
    private let change: (inout State, UnsafeRawBufferPointer) throws -> Void
    private let whole: (State, (any CodingObserver)?) throws -> [UInt8]

    /// - Returns: Nil for states that are no ``Patchable``.
    package static func make() -> StatePatching? {
        guard let type = State.self as? any Patchable.Type else { return nil }
        return make(type) as? StatePatching
    }

    private static func make<Known: Patchable>(_ type: Known.Type) -> Any {
        StatePatching<Known>(
            patch: { old, new in try new.patch(from: old)?.bytes },
            change: { state, bytes in try state.apply(patchBytes: bytes) },
            whole: { state, observer in try CBOREncoder(observer: observer).encode(state) }
        )
    }

    /// What turns one state into another; nil if they are equal.
    func patch(from old: State, to new: State) throws -> [UInt8]? {
        try patch(old, new)
    }

    /// Changes a state in place. After an error it is of no use.
    func apply(_ changes: [[UInt8]], to state: inout State) throws {
        for change in changes { try change.withUnsafeBytes { try self.change(&state, $0) } }
    }

    package func encode(_ state: State, observer: (any CodingObserver)? = nil) throws -> [UInt8] {
        try whole(state, observer)
    }
}

extension StatePatching where State: Sendable {
    /// Encodes a state when somebody needs it; until then it shares what it has in common with the states after it.
    package func encoding(_ state: State, observer: (any CodingObserver)? = nil) -> @Sendable () throws -> [UInt8] {
        { try encode(state, observer: observer) }
    }
}

/// A state as it was told last: what the next patch is made from.
package struct ToldState<State: Sendable>: Sendable {
    /// What is to be told of the state that follows.
    package enum Step {
        case same
        case changed([UInt8])
        /// It has so many bytes, and is not taken.
        case tooLarge(bytes: Int)
    }

    private let patching: StatePatching<State>
    package private(set) var state: State
    /// It has at most so many bytes when it is encoded.
    private var maximumBytes: Int

    package init(_ state: State, bytes: Int, _ patching: StatePatching<State>) {
        self.patching = patching
        self.state = state
        maximumBytes = bytes
    }

    /// Goes on to another state, if that is not too large. A state grows by no more than the bytes of what has changed,
    /// so it is measured only where these sums come to the limit.
    package mutating func advance(
        to next: State,
        limit: Int,
        observer: (any CodingObserver)? = nil
    ) throws -> Step {
        guard let change = try patching.patch(from: state, to: next) else { return .same }
        var bytes = maximumBytes + change.count
        if bytes > limit { bytes = try patching.encode(next, observer: observer).count }
        guard bytes <= limit else { return .tooLarge(bytes: bytes) }
        maximumBytes = bytes
        state = next
        return .changed(change)
    }

    /// Encodes it when somebody needs all of it.
    package func encoding(observer: (any CodingObserver)? = nil) -> @Sendable () throws -> [UInt8] {
        patching.encoding(state, observer: observer)
    }
}
