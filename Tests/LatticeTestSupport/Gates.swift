package import LatticeCore

/// Named gates at which effects of tests wait. Each test makes names of its own.
package enum Gates {
    private static let opened = Watched<Set<String>>([])
    private static let begun = Watched<[String: [EventID?]]>([:])
    private static let deadlines = Watched<[String: [ContinuousClock.Instant?]]>([:])
    private static let traces = Watched<[String: [TraceContext]]>([:])
    private static let cancellations = Watched<[String: Int]>([:])

    /// Returns a name that is unique among all tests.
    package static func makeName() -> String { "gate-\(UInt64.random(in: 0...(.max)))" }

    /// Opens a gate. Effects that wait at it continue.
    package static func open(_ name: String) {
        opened.change { _ = $0.insert(name) }
    }

    /// Waits in an effect until the gate is open. Throws if the effect is cancelled.
    package static func wait(_ name: String) async throws {
        let (event, deadline, trace) = (EventID.current, Deadline.current, TraceContext.current)
        traces.change { $0[name, default: []].append(trace) }
        deadlines.change { $0[name, default: []].append(deadline) }
        begun.change { $0[name, default: []].append(event) }
        do {
            try await opened.until { $0.contains(name) }
        } catch {
            cancellations.change { $0[name, default: 0] += 1 }
            throw error
        }
    }

    /// Returns the number of effects that have arrived at the gate.
    package static func arrivals(_ name: String) -> Int { events(name).count }

    /// Returns the event IDs that the effects at the gate read, in the order of their arrival.
    package static func events(_ name: String) -> [EventID?] { begun.value[name] ?? [] }

    /// Returns the deadlines that the effects at the gate read, in the order of their arrival.
    package static func deadlines(_ name: String) -> [ContinuousClock.Instant?] { deadlines.value[name] ?? [] }

    /// Returns the trace contexts that the effects at the gate read, in the order of their arrival.
    package static func traces(_ name: String) -> [TraceContext] { traces.value[name] ?? [] }

    /// Waits until `count` effects were cancelled at the gate.
    package static func untilCancelled(_ name: String, count: Int = 1) async throws {
        try await cancellations.until { $0[name] ?? 0 >= count }
    }

    /// Waits until an effect with a deadline was cancelled at a gate because its deadline passed.
    ///
    /// - Parameter body: Starts an effect that waits at the gate and has the time limit. On a busy machine the limit
    ///   may pass before the effect arrives. `body` is then called again with another gate and four times the limit.
    package static func untilTooLate(
        _ body: (_ gate: String, _ limit: Duration) async throws -> Void
    ) async throws {
        var (gate, limit) = (makeName(), Duration.milliseconds(50))
        try await body(gate, limit)
        while arrivals(gate) == 0 {
            (gate, limit) = (makeName(), limit * 4)
            try await body(gate, limit)
        }
        try await untilCancelled(gate)
    }

    /// Waits until `count` effects have arrived at the gate.
    package static func untilArrived(_ name: String, count: Int = 1) async throws {
        try await begun.until { ($0[name] ?? []).count >= count }
    }
}
