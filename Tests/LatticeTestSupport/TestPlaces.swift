/// Runs a test's body when fewer than ``TestPlaces/maximum`` other tests have reactors.
///
/// Swift Testing starts all tests at once. Each reactor has a thread and some descriptors, so hundreds of reactors
/// would slow each other down. With more than about 1,300 open descriptors, Foundation's `Process` reads past the end
/// of its buffer for them and crashes. A nested call starts its body at once.
package func withTestPlace<Result>(_ body: () async throws -> Result) async throws -> Result {
    guard !TestPlaces.isInside else { return try await body() }
    await TestPlaces.shared.take()
    do {
        let result = try await TestPlaces.$isInside.withValue(true) { try await body() }
        await TestPlaces.shared.give()
        return result
    } catch {
        await TestPlaces.shared.give()
        throw error
    }
}

/// A semaphore that limits the number of tests with reactors.
actor TestPlaces {
    static let maximum = 32
    static let shared = TestPlaces()
    @TaskLocal static var isInside = false

    private var free = maximum
    private var waiters: [CheckedContinuation<Void, Never>] = []

    func take() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiters.append($0) }
        }
    }

    func give() {
        if waiters.isEmpty { free += 1 } else { waiters.removeFirst().resume() }
    }
}
