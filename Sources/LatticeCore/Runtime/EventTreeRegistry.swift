import LatticeConcurrency

/// The trees of one runtime that have not ended, so that all of them can be cancelled from any thread.
final class EventTreeRegistry: Sendable {
    private struct State {
        var isClosed = false
        var trees: [Int: EventTree] = [:]
    }

    private let state = Locked(State())

    var isClosed: Bool { state.withLock { $0.isClosed } }
    var count: Int { state.withLock { $0.trees.count } }

    /// - Returns: false if the runtime is closed.
    func insert(_ tree: EventTree) -> Bool {
        state.withLock { state in
            if !state.isClosed { state.trees[tree.id] = tree }
            return !state.isClosed
        }
    }

    func remove(_ tree: EventTree) {
        state.withLock { _ = $0.trees.removeValue(forKey: tree.id) }
    }

    /// - Parameter closing: takes no tree any more.
    func cancelAll(closing: Bool) {
        let trees = state.withLock { state in
            if closing { state.isClosed = true }
            let trees = state.trees
            state.trees = [:]
            return trees
        }
        for tree in trees.values { tree.cancel() }
    }
}
