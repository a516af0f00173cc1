import Synchronization

/// Tells when a time is over that others had to do something in.
///
/// After each slice of the time it lets go first what waits for a thread: where many tests run at once, what a test
/// waits for may stand in a queue for longer than the whole time.
final class Allowance: Sendable {
    /// So often others go first.
    private static let slices = 20

    private final class Flag: Sendable {
        let isSet = Atomic(false)
    }

    private let flag = Flag()
    private let task: Task<Void, any Error>

    /// - Parameter onEnd: is called when the time is over, unless it was cancelled.
    init(_ time: Duration, onEnd: @escaping @Sendable () -> Void) {
        task = Task { [flag] in
            for _ in 0..<Self.slices {
                try await Task.sleep(for: time / Self.slices, clock: .continuous)
                await QuiescencePolicy.round()
            }
            try Task.checkCancellation()
            flag.isSet.store(true, ordering: .releasing)
            onEnd()
        }
    }

    var isOver: Bool { flag.isSet.load(ordering: .acquiring) }

    func cancel() { task.cancel() }
}
