import LatticeConcurrency

/// A queue of the elements of an observed stream on their way to the isolation, which takes all waiting elements at
/// once.
///
/// One task adds elements and another one takes them. The number of waiting elements is limited, so adding waits for
/// room.
final class ElementQueue<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var isFinished = false
        /// The task that adds, while it waits for room.
        var adding = Waiters<Void>()
        /// The task that takes, while it waits for elements.
        var taking = Waiters<Void>()
    }

    private let state = Locked(State())

    /// Adds an element, and waits until there is room for another one.
    func add(_ element: Element) async {
        if !put(element) { await waitForRoom() }
    }

    /// Ends the queue.
    func finish() {
        let taking = state.withLock { state in
            state.isFinished = true
            return state.taking.takeAll()
        }
        taking.resume()
    }

    /// Returns the waiting elements as soon as there are any, or nil at the end of the queue.
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

    /// Adds an element.
    /// - Returns: Whether there is room for another one.
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
        // The executor preference is used only for the main actor, whose code cannot run on the thread that adds.
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
