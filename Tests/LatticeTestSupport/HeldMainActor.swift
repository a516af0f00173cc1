import Dispatch
import LatticeConcurrency

/// Blocks the main actor while `body` runs.
package func withHeldMainActor<Result>(_ body: () async throws -> Result) async throws -> Result {
    let (isHeld, isOver) = (OneShot<Void>(), DispatchSemaphore(value: 0))
    Task { @MainActor in
        isHeld.complete()
        wait(for: isOver)
    }
    defer { isOver.signal() }
    try await isHeld.value
    return try await body()
}

/// Waits in a synchronous function, as a program does that blocks its main actor.
private func wait(for semaphore: DispatchSemaphore) {
    semaphore.wait()
}
