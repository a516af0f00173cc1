import LatticeConcurrency
import LatticeProcess
import LatticeTransport

/// The system resources that Swift's own timers need. They are reserved before effects can use them up.
///
/// `Task.sleep` waits with libdispatch, which opens its descriptors at the first use: one to wait on, one for wake-ups,
/// and one for each clock. If they cannot be opened then, a sleeping task never wakes up, and no error is reported.
enum SwiftTimers {
    private static let descriptors = 5
    /// The maximum time to wait for the timers. A very busy machine may need longer, and the timers still start later.
    private static let timeout: Duration = .seconds(1)

    /// Starts the timers, and waits until each clock has woken a task.
    ///
    /// - Throws: `TransportError` with the code `system` if there is no room for the descriptors.
    static func start() async throws(TransportError) {
        try OpenFiles.checkRoom(for: descriptors)
        let isReady = OneShot<Void>()
        Task.detached {
            try? await Task.sleep(nanoseconds: 1)
            try? await ContinuousClock().sleep(for: .nanoseconds(1))
            try? await SuspendingClock().sleep(for: .nanoseconds(1))
            isReady.complete()
        }
        await isReady.wait(atMost: timeout)
    }
}
