import LatticeConcurrency
import LatticeTransport

/// What Swift's own timers need of the system, taken before effects can take it.
///
/// `Task.sleep` waits by libdispatch, which opens its descriptors at the first use: one to wait with, one to be woken
/// by, and one for each clock. If there is no room for them then, whoever sleeps is never woken, and nobody is told.
enum SwiftTimers {
    private static let descriptors = 5
    /// For a machine that is very busy; the timers come to be all the same.
    private static let limit: Duration = .seconds(1)

    /// Returns when each clock has woken somebody.
    ///
    /// - Throws: `.system` if there is no room for the descriptors.
    static func start() async throws(TransportError) {
        try OpenFiles.checkRoom(for: descriptors)
        let isReady = OneShot<Void>()
        Task.detached {
            try? await Task.sleep(nanoseconds: 1)
            try? await ContinuousClock().sleep(for: .nanoseconds(1))
            try? await SuspendingClock().sleep(for: .nanoseconds(1))
            isReady.complete()
        }
        await isReady.wait(atMost: limit)
    }
}
