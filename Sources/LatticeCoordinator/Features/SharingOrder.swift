import LatticeConcurrency
import LatticeSession
import LatticeTransport

/// The owner of a ``SharingQueue``, which runs its operations. It belongs to the event loop, where operations begin and
/// end.
///
/// The view state and the events of its clients share this object instead of referring to each other. A cycle between
/// them would need a weak reference, and retaining an object to which there is a weak reference takes several times as
/// long.
final class SharingOrder: Sendable {
    private let queue: LoopBound<SharingQueue>
    private let eventLoop: any EventLoop

    init(on eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        queue = LoopBound(SharingQueue(), to: eventLoop.thread)
    }

    /// A Boolean value that indicates whether no operation is running or waiting.
    var isFree: Bool { !queue.value.isBusy }

    /// Begins an operation of the caller if none is running. The caller ends it with ``end()``.
    ///
    /// - Returns: A Boolean value that indicates whether the operation has begun.
    func begin() -> Bool { queue.value.begin() }

    /// Ends the operation of the caller, and performs those that waited for it.
    func end() {
        while let next = queue.value.next() {
            guard perform(next()) else { return }
        }
    }

    /// Performs an operation after the earlier ones. If there are none, it runs now.
    func perform(_ operation: @escaping @Sendable () -> Void) {
        if begin() {
            operation()
            end()
        } else {
            add {
                operation()
                return .done
            }
        }
    }

    /// Performs an operation of several parts after the earlier ones. If there are none, it begins now.
    ///
    /// - Parameters:
    ///   - shows: A Boolean value that indicates whether the operation shows a view state. If a newer one is added
    ///     before it begins, that one takes its place.
    ///   - operation: The operation.
    func performInParts(shows: Bool = false, _ operation: @escaping SharingQueue.Operation) {
        guard begin() else { return add(operation, shows: shows) }
        if perform(operation()) { end() }
    }

    private func add(_ operation: @escaping SharingQueue.Operation, shows: Bool = false) {
        queue.value.add(operation, shows: shows)
    }

    /// Performs what follows a part of an operation.
    ///
    /// - Returns: A Boolean value that indicates whether the operation has ended. If not, a coding thread has the next
    ///   part.
    private func perform(_ step: SharingQueue.Step) -> Bool {
        guard case .compute(let compute) = step else { return true }
        // The thread is given back after each part, so that a feature with a slow reducer leaves it to other features.
        CodingThreads.run { [self] in
            let then = compute()
            eventLoop.execute { [self] in if perform(then()) { end() } }
        }
        return false
    }
}
