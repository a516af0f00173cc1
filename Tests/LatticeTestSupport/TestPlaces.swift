/// Runs a test's body when fewer than ``TestPlaces/maximum`` others have reactors.
///
/// Swift Testing begins all tests at once. Hundreds of reactors, with a thread and some descriptors each, would make
/// every one of them wait for the others, and more than about 1,300 open descriptors end the process in Foundation's
/// `Process`, which reads behind the buffer that lists them. Inside the body of another call it begins at once.
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
