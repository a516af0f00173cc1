import LatticeConcurrency

/// The elements of an observed stream on their way to the isolation, where as many as have come are taken at a time.
///
/// One task adds, another takes. What is waiting is bounded: who adds waits for room.
final class ElementQueue<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var isFinished = false
        /// Who adds, and waits for room.
        var adding = Waiters<Void>()
        /// Who takes, and waits for elements.
        var taking = Waiters<Void>()
    }

    private let state = Locked(State())

    /// Adds an element, as soon as there is room.
    func add(_ element: Element) async {
        if !put(element) { await waitForRoom() }
    }

    /// There is nothing more to come.
    func finish() {
        let taking = state.withLock { state in
            state.isFinished = true
            return state.taking.takeAll()
        }
        taking.resume()
    }

    /// The elements that have come, as soon as there are any; nil at the end.
    func next(isolation: isolated any Actor) async -> [Element]? {
        if isEmpty {
            await waitForElements(isolation: isolation)
        } else {
            await InlineExecutor.yield(isolation)
        }
        let (elements, adding) = state.withLock { state in
            let elements = state.elements
            state.elements = []
            return (elements, state.adding.takeAll())
        }
        adding.resume()
        return elements.isEmpty ? nil : elements
    }

    private var isEmpty: Bool { state.withLock { $0.elements.isEmpty } }

    /// - Returns: whether there is room for another.
    private func put(_ element: Element) -> Bool {
        let (hasRoom, taking) = state.withLock { state in
            state.elements.append(element)
            return (state.elements.count < RuntimeLimits.waitingElements, state.taking.takeAll())
        }
        taking.resume()
        return hasRoom
    }

    private func waitForRoom() async {
        await withCheckedContinuation { continuation in
            let hasRoom = state.withLock { state in
                if state.elements.count < RuntimeLimits.waitingElements { return true }
                state.adding.add(continuation)
                return false
            }
            if hasRoom { continuation.resume() }
        }
    }

    private func waitForElements(isolation: isolated any Actor) async {
        // Only where the change to the actor cannot run its code on the thread that adds.
        guard isolation === MainActor.shared else { return await suspend(isolation: isolation) }
        await withTaskExecutorPreference(InlineExecutor.shared) {
            await suspend(isolation: isolation)
        }
    }

    private func suspend(isolation: isolated any Actor) async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if !state.elements.isEmpty || state.isFinished { return true }
                state.taking.add(continuation)
                return false
            }
            if isOver { continuation.resume() }
        }
    }
}
